// SPDX-License-Identifier: MIT
//
// Numbers, patterns and quoting exactly as Redis reads and prints them. Pure functions.
//
// Every string_view of a command's argument must be followed by a NUL byte in memory: the
// floating-point parsers depend on it, as Redis' own do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

/// Strict decimal, as Redis' string2ll: no blanks, no plus sign, no leading zeros.
bool ParseInteger(std::string_view text, std::int64_t* out);
/// A score or an increment: strtod without leading blanks, and without nan.
bool ParseDouble(std::string_view text, double* out);
/// One end of a score range: "(1.5", "-inf", and (as Redis accepts) the empty text as 0.
bool ParseScoreBound(std::string_view text, double* out, bool* exclusive);
/// Whether it is hexadecimal, which strtod reads and newer servers do not.
bool IsHexadecimal(std::string_view text);
bool ParseLongDouble(std::string_view text, long double* out);

/// Whether it is an integer, not -0, small enough to be exact: %.17g and %.0f print it as digits.
bool IsPlainWhole(double value);
std::string FormatDouble(double value);  ///< %.17g; inf and -inf by name.
/// As FormatDouble, but with no more digits than tell it from its neighbours, in the layout of
/// newer servers: 1e+22, 1e-7, 0.00001; nan has no sign. Where their algorithm misses the shortest
/// form (about one number in a thousand) this does not.
std::string FormatShortest(double value);
/// As the dialect prints it: one of the two.
inline std::string FormatDouble(const Dialect& dialect, double value) {
  return dialect.since_72 ? FormatShortest(value) : FormatDouble(value);
}
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
/// An error line as Redis sends it: without trailing line ends, and blanks for those inside.
std::string OneLine(std::string_view text);

/// Lower-case hexadecimal SHA-1, 40 characters.
std::string Sha1Hex(std::string_view text);

}  // namespace interlock::sim::redis
