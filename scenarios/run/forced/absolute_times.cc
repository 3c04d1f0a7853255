// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/absolute_times.h"

#include <algorithm>
#include <string_view>

#include "sim/redis/text.h"

namespace interlock::scenarios::real {
namespace {

using sim::redis::EqualsIgnoreCase;

constexpr std::int64_t kInSeconds = 1'000'000;
constexpr std::int64_t kInMs = 1'000;

struct Timed {
  std::string_view name;
  std::int64_t unit_us;
};

/// The time is their second argument.
constexpr Timed kEndCommands[] = {{"expireat", kInSeconds},
                                  {"pexpireat", kInMs},
                                  {"hexpireat", kInSeconds},
                                  {"hpexpireat", kInMs}};
/// The time follows an option.
constexpr std::string_view kWithTimeOptions[] = {"set", "getex", "hsetex", "hgetex", "msetex"};
constexpr Timed kTimeOptions[] = {{"exat", kInSeconds}, {"pxat", kInMs}};

}  // namespace

std::optional<AbsoluteTime> AbsoluteTimeIn(const sim::redis::Argv& argv) {
  if (argv.size() < 3) return std::nullopt;
  for (const Timed& command : kEndCommands) {
    if (EqualsIgnoreCase(argv[0], command.name)) return AbsoluteTime{2, command.unit_us};
  }
  const bool has_options = std::ranges::any_of(
      kWithTimeOptions, [&](std::string_view name) { return EqualsIgnoreCase(argv[0], name); });
  // Behind the key; of SET, behind the value too, which may be called as the option is.
  const std::size_t first = EqualsIgnoreCase(argv[0], "set") ? 3 : 2;
  for (std::size_t i = first; has_options && i + 1 < argv.size(); ++i) {
    for (const Timed& option : kTimeOptions) {
      if (EqualsIgnoreCase(argv[i], option.name)) return AbsoluteTime{i + 1, option.unit_us};
    }
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios::real
