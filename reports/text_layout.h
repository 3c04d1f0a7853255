// SPDX-License-Identifier: MIT
//
// Widths, cuts and padding for text in fixed columns. All inputs must already be safe for a
// terminal (escape.h); widths are terminal columns, wide and combining characters counted as such.
//
// Thread safety: pure functions. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::reports {

struct TextOptions {
  bool utf8 = true;    ///< false: plain ASCII only
  bool color = false;  ///< ANSI colours; checking NO_COLOR and the terminal is up to the caller
  int width = 100;     ///< columns; less than 60 is taken as 60, more than 400 as 400
};

/// The width that the options ask for, within its limits.
std::size_t WidthOf(const TextOptions& options);

std::size_t DisplayWidth(std::string_view text);

/// At most `width` columns; the rest is replaced by "..." or its one-column form.
std::string Clip(std::string_view text, std::size_t width, bool utf8);

/// Foreign text made safe for a terminal, on one line, at most `width` columns. The cost depends
/// only on what is shown, however long the text is.
std::string Excerpt(std::string_view foreign, std::size_t width, bool utf8);

/// The beginning of foreign text, as long as `width` columns could ever need; a cut is marked by
/// U+2026.
std::string BoundedPrefix(std::string_view foreign, std::size_t width);

/// Padded with spaces on the right up to `width`; longer text is unchanged.
std::string PadRight(std::string_view text, std::size_t width);

/// The text with ASCII letters in upper case.
std::string ToUpper(std::string_view text);

/// Lines of at most `width` columns, broken at spaces where possible; at least one line.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

/// A horizontal rule of `count` columns.
std::string Rule(std::size_t count, bool utf8);

/// 412000 becomes "412 000".
std::string GroupDigits(std::uint64_t value);

/// "58.3 s"; below ten seconds "0.583 s".
std::string ShortSeconds(std::chrono::milliseconds time);

/// "1 run", "2 runs".
std::string Count(std::uint64_t count, std::string_view singular);

}  // namespace interlock::reports
