// SPDX-License-Identifier: MIT
//
// How a real server would store a value, as OBJECT and DEBUG OBJECT show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace interlock::sim::redis {

struct Config;
struct Context;
struct Dialect;
struct Entry;
enum class StringForm : std::uint8_t;

/// "listpack", "embstr" ...; nullopt: it depends on what the value has been before.
std::optional<std::string_view> EncodingOf(const Dialect& dialect, std::string_view key,
                                           const Entry& entry);
/// How a string is stored that a command was given.
StringForm FormOfArgument(const Context& c);
/// 1, or INT32_MAX for shared small integers.
std::int64_t ReferencesTo(const Entry& entry);
/// Values written under such a policy are not shared, and stay so: ReferencesTo may be wrong.
bool SharesNoIntegers(const Config& config);

}  // namespace interlock::sim::redis
