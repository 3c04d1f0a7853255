// SPDX-License-Identifier: MIT
//
// Parsing of a served Redis' control commands. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::sim::serve {

/// ASCII letters only, whatever the locale.
std::string Lower(std::string_view text);
bool SameWord(std::string_view a, std::string_view b);
/// A whole decimal number with an optional minus, and nothing else.
std::optional<std::int64_t> WholeNumber(std::string_view text);
/// A century.
inline constexpr std::int64_t kLongestMs = std::int64_t{100} * 366 * 24 * 3600 * 1000;
/// Converts "1500" or "0.5" ms, at least 0, to us; nullopt: neither, or above kLongestMs.
std::optional<std::int64_t> MillisecondsToUs(std::string_view text);

}  // namespace interlock::sim::serve
