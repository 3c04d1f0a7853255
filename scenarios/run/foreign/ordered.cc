// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/ordered.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

// Commands that drivers send to get a connection ready: their order changes nothing.
constexpr std::array<std::string_view, 22> kUnordered = {
    "asking", "auth",    "client", "cluster", "command",   "config",         "echo",  "hello",
    "info",   "lolwut",  "module", "ping",    "quit",      "readonly",       "reset", "role",
    "select", "slowlog", "time",   "latency", "readwrite", "interlock.ready"};

}  // namespace

bool OrderedCommands::Take(const sim::redis::Argv& argv) {
  const std::string name = sim::redis::ToLower(argv.front());
  const bool queued = in_transaction_ && name != "exec" && name != "discard";
  if (name == "multi") in_transaction_ = true;
  if (name == "exec" || name == "discard") in_transaction_ = false;
  if (queued || name == "multi" || name == "discard") return false;
  return std::ranges::count(kUnordered, name) == 0;
}

}  // namespace interlock::scenarios::drive
