// SPDX-License-Identifier: MIT
//
// What a server cannot know by itself, and its clients ask it for: where it listens, and what of
// its replies has not been sent yet.
//
// Thread safety: as Server.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

struct Unsent {
  std::size_t bytes = 0;
  bool waits = false;  ///< The peer does not take more at present.
};
using UnsentOutput = std::function<Unsent(ClientId client)>;

/// For CLIENT LIST. Without it, all replies count as sent.
void SetUnsentOutput(Server& server, UnsentOutput unsent);

/// REPLICAOF of another server counts as unmodelled: nobody would carry what that one sends.
void SetUnreplicated(Server& server);

/// What CONFIG GET shows of a parameter on which the caller acts: "bind", "unixsocket", "port". As
/// Configure, but never refused. An unknown name is ignored.
void ShowParameter(Server& server, std::string_view name, std::string_view value);

}  // namespace interlock::sim::redis
