// SPDX-License-Identifier: MIT
#include "reports/escape.h"

#include <fmt/format.h>

#include <cstdint>

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxFileName = 100;

bool IsContinuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// Characters that hide, or change how others are shown: a name could pass for another one.
bool IsDeceptive(char32_t c) {
  return c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

bool IsAllowedInXml(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return true;
  // C1 controls are legal in XML 1.0, but readers do not show them and some terminals obey them.
  return !IsControl(c) && c != 0xFFFE && c != 0xFFFF;
}

std::string VisibleEscape(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  const auto value = static_cast<std::uint32_t>(c);
  return value < 0x80 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{{{:x}}}", value);
}

std::string_view AsciiSubstitute(char32_t c) {
  switch (c) {
    case 0x00A0:
      return " ";
    case 0x00B5:
    case 0x03BC:
      return "u";
    case 0x00B7:
    case 0x2022:
      return "*";
    case 0x00D7:
      return "x";
    case 0x2013:
    case 0x2014:
    case 0x2212:
    case 0x2500:
      return "-";
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201C:
    case 0x201D:
      return "\"";
    case 0x2026:
      return "...";
    case 0x2190:
      return "<-";
    case 0x2192:
      return "->";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    case 0x2502:
      return "|";
    case 0x2592:
      return "#";
    case 0x25B8:
      return ">";
    case 0x25C2:
      return "<";
    case 0x2717:
      return "x";
    case kReplacementCharacter:
      return "?";
    default:
      return {};
  }
}

void AppendXml(char32_t c, bool attribute, std::string* out) {
  switch (c) {
    case '&':
      *out += "&amp;";
      return;
    case '<':
      *out += "&lt;";
      return;
    case '>':
      *out += "&gt;";
      return;
    case '"':
      *out += "&quot;";
      return;
    case '\r':
      *out += "&#13;";
      return;
    case '\n':
      *out += attribute ? "&#10;" : "\n";
      return;
    case '\t':
      *out += attribute ? "&#9;" : "\t";
      return;
    default:
      break;
  }
  if (IsAllowedInXml(c)) {
    AppendUtf8(c, out);
  } else {
    *out += VisibleEscape(c);
  }
}

std::string EscapeXml(std::string_view text, bool attribute) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) AppendXml(NextCodePoint(text, &i), attribute, &out);
  return out;
}

}  // namespace

char32_t NextCodePoint(std::string_view text, std::size_t* position) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte_at((*position)++);
  if (lead < 0x80) return lead;
  if (lead < 0xC2 || lead > 0xF4) return kReplacementCharacter;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte alone decides whether a sequence is overlong, a surrogate or out of range.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t value = length == 2 ? lead & 0x1FU : length == 3 ? lead & 0x0FU : lead & 0x07U;
  for (int i = 1; i < length; ++i) {
    if (*position >= text.size()) return kReplacementCharacter;
    const unsigned char next = byte_at(*position);
    if (!IsContinuation(next)) return kReplacementCharacter;
    if (i == 1 && (next < low || next > high)) return kReplacementCharacter;
    value = (value << 6U) | (next & 0x3FU);
    ++*position;
  }
  return value;
}

void AppendUtf8(char32_t c, std::string* out) {
  const auto put = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) AppendUtf8(NextCodePoint(text, &i), &out);
  return out;
}

std::string SafeForTerminal(std::string_view text, bool utf8) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = NextCodePoint(text, &i);
    if (IsControl(c) || IsDeceptive(c)) {
      out += VisibleEscape(c);
    } else if (c < 0x80 || utf8) {
      AppendUtf8(c, &out);
    } else if (const std::string_view substitute = AsciiSubstitute(c); !substitute.empty()) {
      out += substitute;
    } else {
      out += VisibleEscape(c);
    }
  }
  return out;
}

std::string DefuseCiCommands(std::string_view text) {
  std::string out(text);
  bool only_blanks_so_far = true;
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const std::string_view pair = std::string_view(out).substr(i, 2);
    if ((pair == "::" && only_blanks_so_far) || pair == "##") out[i] = '\\';
    if (out[i] == '\n') {
      only_blanks_so_far = true;
    } else if (out[i] != ' ') {
      only_blanks_so_far = false;
    }
  }
  return out;
}

std::string EscapeXmlText(std::string_view text) { return EscapeXml(text, false); }

std::string EscapeXmlAttribute(std::string_view text) { return EscapeXml(text, true); }

std::string EscapeMarkdown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      out += "@&#8203;";  // Would mention a user: names contain nothing invisible.
    } else if (rest.starts_with("://")) {
      out += "&#58;";  // Would become a link by itself.
    } else if (c == '.' && out.ends_with("www")) {
      out += "&#46;";
    } else if (std::string_view("\\`*_{}[]#|~").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string SafeFileName(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxFileName)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    out.push_back(letter || other ? c : '_');
  }
  if (out.empty() || out.front() == '.' || out.front() == '-') out.insert(0, 1, '_');
  out.resize(out.size() < kMaxFileName ? out.size() : kMaxFileName);
  return out;
}

}  // namespace interlock::reports
