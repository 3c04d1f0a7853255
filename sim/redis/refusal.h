// SPDX-License-Identifier: MIT
//
// The effects of a refused command on its client, for faults that refuse commands before the server
// sees them, simulating one that is loading, out of memory, or has moved a key.
//
// Thread safety: that of Server.
#pragma once

#include <string>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// `error` is the text, without the minus, that refuses this command of the client; `argv` is not
/// empty. Inside MULTI, EXEC will answer EXECABORT; EXEC itself ends the transaction and is refused
/// with EXECABORT. Returns the text to answer.
std::string NoteRefusal(Server& server, ClientId client, const Argv& argv, std::string_view error);

}  // namespace interlock::sim::redis
