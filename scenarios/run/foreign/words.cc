// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/words.h"

#include <string_view>

#include "sim/redis/reply.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;

constexpr std::string_view kEnter = "interlock.enter";
constexpr std::string_view kLeave = "interlock.leave";

std::optional<std::string> NameIn(const Argv& argv, std::string_view command) {
  if (argv.size() != 2 || !EqualsIgnoreCase(argv[0], command)) return std::nullopt;
  return argv[1];
}

}  // namespace

bool IsReport(const Argv& argv) {
  return EqualsIgnoreCase(argv.front(), kEnter) || EqualsIgnoreCase(argv.front(), kLeave);
}

sim::redis::Value AnswerTo(const Argv& argv) {
  if (argv.size() != 2) {
    return sim::redis::ErrorValue("ERR wrong number of arguments for '" +
                                  sim::redis::ToLower(argv.front()) + "' command");
  }
  return sim::redis::StatusValue("OK");
}

bool RunsByHash(const Argv& argv) {
  return EqualsIgnoreCase(argv.front(), "evalsha") || EqualsIgnoreCase(argv.front(), "evalsha_ro");
}

std::optional<std::string> Enters(const Argv& argv) { return NameIn(argv, kEnter); }

std::optional<std::string> Leaves(const Argv& argv) { return NameIn(argv, kLeave); }

}  // namespace interlock::scenarios::drive
