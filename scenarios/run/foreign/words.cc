// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/words.h"

#include <string_view>

#include "sim/redis/reply.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;
using sim::redis::ErrorValue;

constexpr std::string_view kEnter = "interlock.enter";
constexpr std::string_view kLeave = "interlock.leave";
constexpr std::string_view kWrite = "interlock.write";
constexpr std::string_view kReady = "interlock.ready";
constexpr std::size_t kWordsOfWrite = 3;

std::optional<std::string> NameIn(const Argv& argv, std::string_view command) {
  if (argv.size() != 2 || !EqualsIgnoreCase(argv[0], command)) return std::nullopt;
  return argv[1];
}

bool IsWrite(const Argv& argv) { return EqualsIgnoreCase(argv.front(), kWrite); }

std::size_t WordsOf(const Argv& argv) {
  if (SaysReady(argv)) return 1;
  return IsWrite(argv) ? kWordsOfWrite : 2;
}

}  // namespace

bool GuardedResources::Accepts(const GuardedWrite& write) const {
  const auto found = largest_.find(write.resource);
  return found == largest_.end() || write.token >= found->second;
}

bool GuardedResources::Write(const GuardedWrite& write) {
  if (!Accepts(write)) return false;
  largest_[write.resource] = write.token;
  return true;
}

bool IsReport(const Argv& argv) {
  return EqualsIgnoreCase(argv.front(), kEnter) || EqualsIgnoreCase(argv.front(), kLeave) ||
         IsWrite(argv) || SaysReady(argv);
}

bool SaysReady(const Argv& argv) { return EqualsIgnoreCase(argv.front(), kReady); }

sim::redis::Value AnswerTo(const Argv& argv, bool queued, GuardedResources& resources) {
  const std::string name = sim::redis::ToLower(argv.front());
  if (argv.size() != WordsOf(argv)) {
    return ErrorValue("ERR wrong number of arguments for '" + name + "' command");
  }
  if (queued) return ErrorValue("ERR '" + name + "' cannot be queued by MULTI");
  if (!IsWrite(argv)) return sim::redis::StatusValue("OK");
  const auto write = Writes(argv);
  if (!write) {
    constexpr std::size_t kShown = 64;
    return ErrorValue("ERR '" + sim::redis::OneLine(argv[2].substr(0, kShown)) +
                      "' is no fencing token: expected an integer from 0 to " +
                      std::to_string(INT64_MAX));
  }
  return sim::redis::IntegerValue(resources.Write(*write) ? 1 : 0);
}

bool RunsByHash(const Argv& argv) {
  return EqualsIgnoreCase(argv.front(), "evalsha") || EqualsIgnoreCase(argv.front(), "evalsha_ro");
}

std::optional<std::string> Enters(const Argv& argv) { return NameIn(argv, kEnter); }

std::optional<std::string> Leaves(const Argv& argv) { return NameIn(argv, kLeave); }

std::optional<GuardedWrite> Writes(const Argv& argv) {
  if (argv.size() != kWordsOfWrite || !IsWrite(argv)) return std::nullopt;
  GuardedWrite write{argv[1]};
  if (!sim::redis::ParseInteger(argv[2], &write.token) || write.token < 0) return std::nullopt;
  return write;
}

}  // namespace interlock::scenarios::drive
