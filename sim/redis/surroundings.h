// SPDX-License-Identifier: MIT
//
// What clients may ask that a server cannot know by itself: where it listens, whether others can be
// reached, and what is waiting in its connections' buffers.
//
// Thread safety: that of Server.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

struct Buffers {
  std::size_t unsent = 0;  ///< Bytes of replies.
  bool waits = false;      ///< The peer is not reading at present.
  std::size_t unread = 0;  ///< Bytes received and not yet consumed by a command.
};
using BuffersOf = std::function<Buffers(ClientId client)>;

/// For CLIENT LIST. If unset, all replies count as sent, and no input as waiting.
void SetBuffersOf(Server& server, BuffersOf buffers);

/// Makes REPLICAOF of another server unmodelled, as nobody would carry its messages.
void SetUnreplicated(Server& server);

/// Sets what CONFIG GET shows for a parameter that the caller implements: "bind", "unixsocket",
/// "port". Like Configure, but never refused. Ignores unknown names.
void ShowParameter(Server& server, std::string_view name, std::string_view value);

/// Whether the server would keep this command until a pause is over (CLIENT PAUSE, or a slot that
/// moves at once). Of one that it refuses instead, it may be either.
bool WouldHold(Server& server, ClientId client, const Argv& argv);

}  // namespace interlock::sim::redis
