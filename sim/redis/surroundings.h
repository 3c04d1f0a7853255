// SPDX-License-Identifier: MIT
//
// What a server cannot know by itself, and its clients ask it for: where it listens, whether others
// can be reached, and what waits in the buffers of its connections.
//
// Thread safety: as Server.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

struct Buffers {
  std::size_t unsent = 0;  ///< Bytes of replies.
  bool waits = false;      ///< The peer does not take more at present.
  std::size_t unread = 0;  ///< Bytes received that no command has used up.
};
using BuffersOf = std::function<Buffers(ClientId client)>;

/// For CLIENT LIST. Without it, all replies count as sent, and nothing as received too early.
void SetBuffersOf(Server& server, BuffersOf buffers);

/// REPLICAOF of another server counts as unmodelled: nobody would carry what that one sends.
void SetUnreplicated(Server& server);

/// What CONFIG GET shows of a parameter on which the caller acts: "bind", "unixsocket", "port". As
/// Configure, but never refused. An unknown name is ignored.
void ShowParameter(Server& server, std::string_view name, std::string_view value);

}  // namespace interlock::sim::redis
