// SPDX-License-Identifier: MIT
#include "reports/json_text.h"

#include <fmt/format.h>

#include <utility>

#include "reports/escape.h"

namespace interlock::reports {
namespace {

void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = NextCodePoint(text, &i);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      AppendUtf8(c, out);
    } else if (c == '\n') {
      *out += "\\n";
    } else if (c == '\t') {
      *out += "\\t";
    } else if (c == '\r') {
      *out += "\\r";
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
      *out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      AppendUtf8(c, out);
    }
  }
  out->push_back('"');
}

}  // namespace

JsonText& JsonText::Key(std::string_view name) {
  BeforeValue();
  AppendQuoted(name, &out_);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

void JsonText::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(text, &out_);
}

void JsonText::Unsigned(std::uint64_t value) { Raw(std::to_string(value)); }

void JsonText::Signed(std::int64_t value) { Raw(std::to_string(value)); }

void JsonText::Bool(bool value) { Raw(value ? "true" : "false"); }

void JsonText::Null() { Raw("null"); }

void JsonText::Seconds(std::chrono::milliseconds value) {
  // Time never runs backwards in a report; a clock that did is shown as zero.
  const auto ms = value.count() < 0 ? 0 : value.count();
  Raw(fmt::format("{}.{:03}", ms / 1000, ms % 1000));
}

void JsonText::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
}

std::string JsonText::Take() && {
  out_.push_back('\n');
  return std::move(out_);
}

void JsonText::Open(char bracket) {
  BeforeValue();
  out_.push_back(bracket);
  first_in_level_.push_back('y');
}

void JsonText::Close(char bracket) {
  const bool empty = first_in_level_.back() == 'y';
  first_in_level_.pop_back();
  if (!empty) NewLine();
  out_.push_back(bracket);
}

void JsonText::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (first_in_level_.empty()) return;
  if (first_in_level_.back() == 'n') out_.push_back(',');
  first_in_level_.back() = 'n';
  NewLine();
}

void JsonText::NewLine() {
  out_.push_back('\n');
  out_.append(2 * first_in_level_.size(), ' ');
}

}  // namespace interlock::reports
