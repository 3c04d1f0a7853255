// SPDX-License-Identifier: MIT
#include "scenarios/cli/contend_foreign.h"

#include <cctype>

#include <fmt/format.h>

#include "scenarios/run/foreign/real/servers_here.h"
#include "sim/machine/launch.h"

namespace interlock::scenarios::cli {

std::string FileNameOf(const std::string& lock) {
  std::string name;
  for (const char letter : lock) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.';
    name += plain ? letter : '-';
  }
  return name;
}

std::string WhyNotForeign(const ForeignContendSettings& settings, const contend::Load& load,
                          const std::string& lock, const std::string& redis, bool processes) {
  if (sim::machine::LacksACommand(settings.command)) {
    return "no command after --, or beside an --and: -- python3 looping.py";
  }
  if (!lock.empty()) {
    return fmt::format("--lock {} and the command {} are two things to measure: give one of them",
                       lock, settings.command.front());
  }
  if (redis.empty()) {
    return fmt::format(
        "{} is measured on a real server: --redis spawn, or the URL of an empty one "
        "on this machine",
        settings.command.front());
  }
  if (settings.masters > 1 && redis != "spawn") {
    return "--masters is for --redis spawn: give as many URLs, separated by commas";
  }
  if (redis != "spawn") {
    const auto servers = drive::ServersHere(redis);
    if (!servers.ok()) return fmt::format("--redis: {}", servers.status().message());
  }
  const contend::Load usual;
  std::string option;
  if (load.open()) option = "--arrivals open";
  if (load.think != usual.think) option = "--think";
  if (load.patience != usual.patience) option = "--patience";
  if (load.lease != usual.lease) option = "--lease";
  if (load.resources != usual.resources) option = "--resources";
  if (load.permits != usual.permits) option = "--permits";
  if (load.faults != usual.faults) option = "--faults";
  if (processes) option = "--processes";
  if (option.empty()) return {};
  return fmt::format(
      "{} is for the locks of this program: a client of a command asks as it does, "
      "and is a process",
      option);
}

}  // namespace interlock::scenarios::cli
