// SPDX-License-Identifier: MIT
//
// Option values that CLI11 does not read as strictly as a gate needs. Thread safety: pure
// functions, except for the file system.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>

namespace interlock::scenarios::cli {

/// The whole of `text` as a number, without a sign. nullopt: it is none, or has more than 64 bits.
std::optional<std::uint64_t> ParseNumber(std::string_view text, int base = 10);
/// "123" or "0x7b". nullopt: a sign, a space, anything else, or a number of more than 64 bits; a
/// silently changed seed would give a run that nobody can repeat.
std::optional<std::uint64_t> ParseSeed(std::string_view text);

/// What is wrong with the text as a seed; empty: nothing.
std::string WhyNoSeed(const std::string& text);

/// The value of --budget, nullopt if it is empty: "90s", "5m", "1h", at least a second.
/// kInvalidArgument says what is wrong.
Result<std::optional<std::chrono::seconds>> ParseBudget(const std::string& text);

/// "0", "500us", "5ms", "2s", "1m", "1h": whole numbers, at most a million of the unit.
std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);

/// The value of --jobs: as many threads as it says; 0: one for each core.
int JobsOf(int given);
/// The parts between the commas; at least one, which may be empty.
std::vector<std::string_view> SplitAtCommas(std::string_view text);

/// Creates the folder if needed and tests whether a file can be created in it, so that hours of
/// work are not lost to a mistyped path. nullopt on success, otherwise what is wrong.
std::optional<std::string> PrepareFolder(const std::string& path);

/// The bytes of a file or a pipe, up to 64 MiB. kInvalidArgument: it is a folder, unreadable or
/// larger.
Result<std::string> ReadWholeFile(const std::string& path);

/// kInvalidArgument with this message.
Status Invalid(std::string message);

}  // namespace interlock::scenarios::cli
