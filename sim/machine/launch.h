// SPDX-License-Identifier: MIT
//
// Starts a client's command with the locations of its servers: in its environment (REDIS_URL,
// REDIS_HOST, REDIS_PORT, or REDIS_URLS for several servers; INTERLOCK_CLIENT is the client's
// number, from 0), and by the placeholders "{url}", "{urls}", "{port}", "{client}". Sentinels are
// in REDIS_SENTINELS (127.0.0.1:1,127.0.0.1:2 ...) and "{sentinels}". Several commands, separated
// by the word "--and", are assigned to clients in turn.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/foreign_process.h"

namespace interlock::sim::machine {

/// Whether there is none, or nothing beside one of the words "--and".
bool LacksACommand(const std::vector<std::string>& commands);
/// The one of the commands that this client runs.
std::vector<std::string> CommandOf(const std::vector<std::string>& commands, int client);

/// Where a client finds its servers.
struct Ports {
  std::vector<int> all;
  int sentinels = 0;  ///< how many of the last ones are Sentinels
};

/// `more`: additions to its environment; `passed`: a descriptor that it inherits; -1: none. Fails
/// as ForeignProcess::Start does. REQUIRES: the command is not empty, and there is a
/// port of a server with data.
Result<std::unique_ptr<ForeignProcess>> Launch(const std::vector<std::string>& command, int client,
                                               const Ports& ports,
                                               const ForeignProcess::Environment& more,
                                               int passed = -1);

}  // namespace interlock::sim::machine
