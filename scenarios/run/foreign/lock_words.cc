// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/lock_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;
using std::string_view;

constexpr double kDayMs = 86'400'000;

bool IsOneOf(const std::string& name, std::span<const string_view> names) {
  return std::ranges::any_of(names,
                             [&name](string_view one) { return EqualsIgnoreCase(name, one); });
}

bool HasOption(const Argv& argv, string_view option) {
  return argv.size() > 3 &&
         std::any_of(argv.begin() + 3, argv.end(),
                     [option](const std::string& word) { return EqualsIgnoreCase(word, option); });
}

}  // namespace

std::optional<std::string> AskedFor(const Argv& argv) {
  constexpr std::array<string_view, 3> kNames = {"setnx", "hsetnx", "msetnx"};
  if (argv.size() < 3) return std::nullopt;
  if (IsOneOf(argv[0], kNames)) return argv[1];
  if (EqualsIgnoreCase(argv[0], "set") && HasOption(argv, "nx")) return argv[1];
  return std::nullopt;
}

std::optional<std::string> LookedAt(const Argv& argv) {
  constexpr std::array<string_view, 6> kNames = {"get", "exists", "hexists", "hget", "ttl", "pttl"};
  if (argv.size() < 2 || !IsOneOf(argv[0], kNames)) return std::nullopt;
  return argv[1];
}

std::optional<std::string> Overwritten(const Argv& argv) {
  constexpr std::array<string_view, 5> kNames = {"setex", "psetex", "getset", "hset", "hmset"};
  if (argv.size() < 3) return std::nullopt;
  if (IsOneOf(argv[0], kNames)) return argv[1];
  if (EqualsIgnoreCase(argv[0], "set") && !AskedFor(argv)) return argv[1];
  return std::nullopt;
}

std::optional<std::string> Created(const Argv& argv) {
  if (argv.size() == 4 && EqualsIgnoreCase(argv[0], "hincrby")) return argv[1];
  return Overwritten(argv);
}

bool TellsWhatWasThere(const Argv& argv) {
  return EqualsIgnoreCase(argv[0], "getset") ||
         (EqualsIgnoreCase(argv[0], "set") && HasOption(argv, "get"));
}

bool Counts(const Argv& argv) {
  constexpr std::array<string_view, 6> kNames = {"incr",   "decr",        "incrby",
                                                 "decrby", "incrbyfloat", "hincrby"};
  return IsOneOf(argv[0], kNames);
}

std::optional<WrittenTime> TimeOf(const std::string& word, std::int64_t now_ms) {
  constexpr double kMsPerSecond = 1000;
  constexpr double kUsPerMs = 1000;
  double number = 0;
  if (!sim::redis::ParseDouble(word, &number)) return std::nullopt;
  const auto near = [now_ms](double ms) {
    return std::abs(ms - static_cast<double>(now_ms)) < kDayMs;
  };
  if (near(number * kMsPerSecond)) {
    return WrittenTime{std::llround(number * kMsPerSecond), number == std::floor(number)};
  }
  for (const double ms : {number, number / kUsPerMs}) {
    if (near(ms)) return WrittenTime{std::llround(ms), false};
  }
  return std::nullopt;
}

std::optional<WrittenTime> TimeToComeIn(const std::string& word, std::int64_t now_ms) {
  constexpr std::size_t kFewestDigits = 10;  // digits, of a time in s
  constexpr string_view kDigitsAndDot = "0123456789.";
  for (std::size_t begin = word.find_first_of(kDigitsAndDot); begin != std::string::npos;) {
    const std::size_t end = std::min(word.find_first_not_of(kDigitsAndDot, begin), word.size());
    const auto time = TimeOf(word.substr(begin, end - begin), now_ms);
    if (end - begin >= kFewestDigits && time && time->ms > now_ms) return time;
    begin = word.find_first_of(kDigitsAndDot, end);
  }
  return std::nullopt;
}

std::optional<Purge> PurgeOf(const Argv& argv, std::int64_t now_ms) {
  constexpr std::size_t kWords = 4;
  if (argv.size() != kWords || !EqualsIgnoreCase(argv[0], "zremrangebyscore")) return std::nullopt;
  const std::string& most = argv[3];
  const auto time = TimeOf(most.starts_with("(") ? most.substr(1) : most, now_ms);
  if (!time) return std::nullopt;
  return Purge{argv[1], std::max<std::int64_t>(now_ms - time->ms, 0)};
}

}  // namespace interlock::scenarios::drive
