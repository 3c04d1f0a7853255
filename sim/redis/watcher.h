// SPDX-License-Identifier: MIT
//
// Observes executed commands on behalf of the judge of foreign clients: a script is seen by what it
// calls, a transaction by what it had queued.
//
// Thread safety: none.
#pragma once

#include <functional>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// Observes executed commands: those that a script calls, then the script; those that were queued,
/// then EXEC. A client served by another's command had run its own when it began to wait.
using Watcher = std::function<void(ClientId client, const Argv& argv, const Value& reply)>;

/// From now on, also over Reset. REQUIRES: it calls nothing of the server but what Peeks.
void SetWatcher(Server& server, Watcher watcher);

}  // namespace interlock::sim::redis
