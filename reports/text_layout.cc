// SPDX-License-Identifier: MIT
#include "reports/text_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"

namespace interlock::reports {
namespace {

constexpr int kMinWidth = 60;
constexpr int kMaxWidth = 400;

// The blocks that terminals show two columns wide: Hangul, CJK, full-width forms, emoji.
bool IsWide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) ||
         (c >= 0x3041 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) ||
         (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) ||
         (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

bool IsCombining(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x483 && c <= 0x489) || (c >= 0x591 && c <= 0x5BD) ||
         (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
         (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0xFE20 && c <= 0xFE2F);
}

std::size_t ColumnsOf(char32_t c) { return IsCombining(c) ? 0U : IsWide(c) ? 2U : 1U; }

/// Number of bytes of `text` that fit into `width` columns.
std::size_t BytesThatFit(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    std::size_t next = position;
    const std::size_t columns = ColumnsOf(NextCodePoint(text, &next));
    if (used + columns > width) break;
    used += columns;
    position = next;
  }
  return position;
}

}  // namespace

std::size_t WidthOf(const TextOptions& options) {
  return static_cast<std::size_t>(std::clamp(options.width, kMinWidth, kMaxWidth));
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) width += ColumnsOf(NextCodePoint(text, &i));
  return width;
}

std::string Clip(std::string_view text, std::size_t width, bool utf8) {
  if (BytesThatFit(text, width) == text.size()) return std::string(text);
  const std::string_view mark = utf8 ? "…" : "...";
  const std::size_t mark_width = utf8 ? 1 : 3;
  if (width <= mark_width) return std::string(text.substr(0, BytesThatFit(text, width)));
  return std::string(text.substr(0, BytesThatFit(text, width - mark_width))) + std::string(mark);
}

std::string BoundedPrefix(std::string_view foreign, std::size_t width) {
  // At most four bytes per column; twice that leaves room for zero-width characters.
  const std::size_t bytes = 8 * width + 64;
  if (foreign.size() <= bytes) return std::string(foreign);
  return std::string(foreign.substr(0, bytes)) + "\u2026";
}

std::string Excerpt(std::string_view foreign, std::size_t width, bool utf8) {
  return Clip(SafeForTerminal(BoundedPrefix(foreign, width), utf8), width, utf8);
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string PadRight(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t used = DisplayWidth(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  // A wide character needs two columns; with fewer this would never end.
  width = std::max<std::size_t>(width, 2);
  while (true) {
    std::size_t fit = BytesThatFit(text, width);
    if (fit == text.size()) break;
    if (text[fit] != ' ') {
      const std::size_t blank = text.substr(0, fit).rfind(' ');
      // Breaking far to the left would waste the line; a long word is cut instead.
      if (blank != std::string_view::npos && blank >= fit / 3 && blank > 0) fit = blank;
    }
    lines.emplace_back(text.substr(0, fit));
    while (!lines.back().empty() && lines.back().back() == ' ') lines.back().pop_back();
    text.remove_prefix(fit);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string Rule(std::size_t count, bool utf8) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += utf8 ? "─" : "-";
  return out;
}

std::string GroupDigits(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ' ');
  return digits;
}

std::string ShortSeconds(std::chrono::milliseconds time) {
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  if (ms < 10'000) return fmt::format("{}.{:03} s", ms / 1000, ms % 1000);
  return fmt::format("{}.{} s", GroupDigits(ms / 1000), ms % 1000 / 100);
}

std::string Count(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", GroupDigits(count), singular, count == 1 ? "" : "s");
}

}  // namespace interlock::reports
