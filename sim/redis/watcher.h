// SPDX-License-Identifier: MIT
//
// Observes executed commands on behalf of the judge of foreign clients: a script appears as its
// calls, a transaction as its queued commands.
//
// Thread safety: none.
#pragma once

#include <functional>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// Called for each executed command: those called by a script, then the script; those queued, then
/// EXEC. A client served by another one's command had run its own when it began to wait.
using Watcher = std::function<void(ClientId client, const Argv& argv, const Value& reply)>;

/// Set from now on, also across Reset. REQUIRES: it calls only the server's Peek functions.
void SetWatcher(Server& server, Watcher watcher);

}  // namespace interlock::sim::redis
