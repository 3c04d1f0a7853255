// SPDX-License-Identifier: MIT
#include "sim/redis/text.h"

#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Matches one character against the class that starts after '['; moves `at` past the class.
bool MatchesClass(std::string_view pattern, std::size_t* at, char c) {
  std::size_t i = *at;
  const bool negated = i < pattern.size() && pattern[i] == '^';
  if (negated) ++i;
  bool matched = false;
  for (;; ++i) {
    if (i + 1 < pattern.size() && pattern[i] == '\\') {
      ++i;
      matched = matched || pattern[i] == c;
    } else if (i >= pattern.size()) {
      break;
    } else if (pattern[i] == ']') {
      ++i;
      break;
    } else if (i + 2 < pattern.size() && pattern[i + 1] == '-') {
      char low = pattern[i];
      char high = pattern[i + 2];
      if (low > high) std::swap(low, high);
      i += 2;
      matched = matched || (c >= low && c <= high);
    } else {
      matched = matched || pattern[i] == c;
    }
  }
  *at = i;
  return matched != negated;
}

void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    switch (c) {
      case '\\':
      case '"':
        *out += '\\';
        *out += c;
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (c >= 0x20 && c < 0x7f) {
          *out += c;
        } else {
          std::array<char, 8> hex{};
          std::snprintf(hex.data(), hex.size(), "\\x%02x",
                        static_cast<unsigned>(static_cast<unsigned char>(c)));
          *out += hex.data();
        }
    }
  }
  out->push_back('"');
}

void AppendText(const Value& value, std::string* out);

void AppendElements(std::string_view opening, const Value& value, std::string* out) {
  out->append(opening);
  bool first = true;
  for (const Value& element : value.elements) {
    if (!first) *out += ", ";
    first = false;
    if (element.type == Value::Type::kInteger) {
      *out += std::to_string(element.integer);
    } else {
      AppendText(element, out);
    }
  }
  out->push_back(']');
}

void AppendText(const Value& value, std::string* out) {
  switch (value.type) {
    case Value::Type::kNil:
    case Value::Type::kNilArray:
      *out += "(nil)";
      break;
    case Value::Type::kStatus:
      *out += value.text;
      break;
    case Value::Type::kError:
      *out += "(error) " + value.text;
      break;
    case Value::Type::kInteger:
      *out += "(integer) " + std::to_string(value.integer);
      break;
    case Value::Type::kString:
    case Value::Type::kVerbatim:
      AppendQuoted(value.text, out);
      break;
    case Value::Type::kDouble:
      *out += "(double) " + value.text;
      break;
    case Value::Type::kBoolean:
      *out += value.integer != 0 ? "(true)" : "(false)";
      break;
    case Value::Type::kBigNumber:
      *out += "(big number) " + value.text;
      break;
    case Value::Type::kMap:
      AppendElements("(map) [", value, out);
      break;
    case Value::Type::kSet:
      AppendElements("(set) [", value, out);
      break;
    case Value::Type::kPush:
      AppendElements("(push) [", value, out);
      break;
    case Value::Type::kArray:
      AppendElements("[", value, out);
      break;
  }
}

}  // namespace

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool ParseInteger(std::string_view text, std::int64_t* out) {
  if (text.empty() || text.size() > 20) return false;
  if (text == "0") {
    *out = 0;
    return true;
  }
  const bool negative = text[0] == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits[0] < '1' || digits[0] > '9') return false;
  std::uint64_t magnitude = 0;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr std::size_t kAlwaysFits = 18;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] < '0' || digits[i] > '9') return false;
    const auto digit = static_cast<std::uint64_t>(digits[i] - '0');
    if (i >= kAlwaysFits && magnitude > (kMax - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (magnitude > (negative ? kLimit : kLimit - 1)) return false;
  *out = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool ParseDouble(std::string_view text, double* out) {
  if (text.empty() || IsBlank(text[0])) return false;
  errno = 0;
  char* end = nullptr;
  *out = std::strtod(text.data(), &end);
  if (end != text.data() + text.size()) return false;
  if (errno == ERANGE && (std::isinf(*out) || *out == 0)) return false;
  return !std::isnan(*out);
}

bool IsHexadecimal(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text.starts_with("0x") || text.starts_with("0X");
}

bool ParseScoreBound(std::string_view text, double* out, bool* exclusive) {
  *exclusive = !text.empty() && text[0] == '(';
  char* end = nullptr;
  *out = std::strtod(text.data() + (*exclusive ? 1 : 0), &end);
  return *end == '\0' && !std::isnan(*out);
}

bool ParseLongDouble(std::string_view text, long double* out) {
  if (text.empty() || IsBlank(text[0])) return false;
  errno = 0;
  char* end = nullptr;
  *out = std::strtold(text.data(), &end);
  if (end != text.data() + text.size()) return false;
  if (errno == ERANGE && (std::isinf(*out) || *out == 0)) return false;
  return !std::isnan(*out);
}

namespace {

bool IsWhole(double value) {
  return value == std::trunc(value) && !(value == 0 && std::signbit(value));
}

}  // namespace

bool IsPlainWhole(double value) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  return std::abs(value) < kMost && IsWhole(value);
}

std::string FormatShortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  constexpr double kMostWhole = 4611686018427387903.0;
  if (std::abs(value) <= kMostWhole && IsWhole(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits(text.substr(0, mark));
  std::erase(digits, '.');
  const int exponent = std::stoi(std::string(text.substr(mark + 1)));
  const int count = static_cast<int>(digits.size());
  const int power = exponent - count + 1;  // of the last digit
  std::string sign = std::signbit(value) ? "-" : "";
  if (power >= 0 && exponent < count + 7) {
    return sign + digits + std::string(static_cast<std::size_t>(power), '0');
  }
  if (power < 0 && (power > -7 || std::abs(exponent) < 4)) {
    if (exponent < 0)
      return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    return sign + digits.insert(static_cast<std::size_t>(exponent + 1), ".");
  }
  if (count > 1) digits.insert(1, ".");
  return sign + digits + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
}

std::string FormatDouble(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer{};
  // Shortcut for integers, by far the most common, avoiding printf.
  if (IsPlainWhole(value)) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                   static_cast<std::int64_t>(value));
    return std::string(buffer.data(), end.ptr);
  }
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  return std::string(buffer.data(), static_cast<std::size_t>(length));
}

std::string FormatLongDouble(long double value) {
  // The largest long double has 4933 digits; almost every real value has fewer than forty.
  const int needed = std::snprintf(nullptr, 0, "%.17Lf", value);
  std::string text(static_cast<std::size_t>(needed) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.17Lf", value);
  text.pop_back();
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

bool SameSizeEqualsIgnoreCase(std::string_view text, std::string_view lower_case) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (Lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

namespace {

// If what follows a '*' has reached the end of the text without matching, extending any earlier '*'
// leaves even less text: `hopeless` says so, and all of them give up. So the worst case is linear
// in the pattern and quadratic in the text, whatever the stars.
bool GlobMatch(std::string_view pattern, std::string_view text, int depth, bool* hopeless) {
  constexpr int kDeepest = 1000;  // As in Redis; each '*' is a level.
  if (depth > kDeepest) return false;
  std::size_t p = 0;
  std::size_t t = 0;
  while (p < pattern.size() && t < text.size()) {
    const char c = pattern[p];
    if (c == '*') {
      while (p + 1 < pattern.size() && pattern[p + 1] == '*') ++p;
      if (p + 1 == pattern.size()) return true;
      for (; t < text.size(); ++t) {
        if (GlobMatch(pattern.substr(p + 1), text.substr(t), depth + 1, hopeless)) return true;
        if (*hopeless) return false;
      }
      *hopeless = true;
      return false;
    }
    ++p;
    if (c == '[') {
      if (!MatchesClass(pattern, &p, text[t])) return false;
    } else if (c == '\\' && p < pattern.size()) {
      if (pattern[p++] != text[t]) return false;
    } else if (c != '?' && c != text[t]) {
      return false;
    }
    ++t;
  }
  if (t == text.size()) {
    while (p < pattern.size() && pattern[p] == '*') ++p;
  }
  return p == pattern.size() && t == text.size();
}

}  // namespace

bool GlobMatch(std::string_view pattern, std::string_view text) {
  bool hopeless = false;
  return GlobMatch(pattern, text, 0, &hopeless);
}

std::string_view UntilNul(std::string_view text) { return text.substr(0, text.find('\0')); }

std::string OneLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  std::string line(text);
  for (char& c : line) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return line;
}

std::string ToText(const Argv& argv) {
  std::string text;
  for (const std::string& argument : argv) {
    if (!text.empty()) text.push_back(' ');
    bool plain = !argument.empty();
    for (const char c : argument) plain = plain && c > 0x20 && c < 0x7f && !std::strchr("\"'\\", c);
    if (plain) {
      text += argument;
    } else {
      AppendQuoted(argument, &text);
    }
  }
  return text;
}

std::string ToText(const Value& value) {
  std::string text;
  AppendText(value, &text);
  return text;
}

}  // namespace interlock::sim::redis
