// SPDX-License-Identifier: MIT
//
// Numbers, patterns and quoting exactly as Redis reads and prints them. Pure functions.
//
// Every string_view that names a command's argument is followed by a NUL byte in memory: the
// parsers of floating point numbers depend on it, as Redis' own do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

/// Strict decimal, as Redis' string2ll: no blanks, no plus sign, no leading zeros.
bool ParseInteger(std::string_view text, std::int64_t* out);
/// A score or an increment: strtod without leading blanks, nan refused.
bool ParseDouble(std::string_view text, double* out);
/// One end of a score range: "(1.5", "-inf", and (as Redis accepts) the empty text as 0.
bool ParseScoreBound(std::string_view text, double* out, bool* exclusive);
bool ParseLongDouble(std::string_view text, long double* out);

/// A whole number, not -0, of which doubles have all up to it: %.17g and %.0f print its digits, as
/// an integer's, and nothing else.
bool IsPlainWhole(double value);
std::string FormatDouble(double value);           ///< %.17g; inf and -inf by name.
std::string FormatLongDouble(long double value);  ///< %.17Lf without trailing zeros.

bool IsBlank(char c);  ///< as isspace in the C locale
bool SameSizeEqualsIgnoreCase(std::string_view text, std::string_view lower_case);
inline bool EqualsIgnoreCase(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() && SameSizeEqualsIgnoreCase(text, lower_case);
}
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);

/// Redis' glob: * ? [a-z] [^a] and backslash.
bool GlobMatch(std::string_view pattern, std::string_view text);

/// The text up to its first NUL: what C code prints with %s.
std::string_view UntilNul(std::string_view text);
/// An error line as Redis sends it: no line ends at its end, blanks for those inside.
std::string OneLine(std::string_view text);

/// Lower-case hexadecimal SHA-1, 40 characters.
std::string Sha1Hex(std::string_view text);

}  // namespace interlock::sim::redis
