// SPDX-License-Identifier: MIT
//
// What a refused command means for its client, for faults that refuse commands before the server
// sees them: they stand for a server that loads, is out of memory, or has moved a key.
//
// Thread safety: as Server.
#pragma once

#include <string>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// `error` is the text, without the minus, by which this command of the client is refused; `argv`
/// is not empty. Inside MULTI its EXEC will answer EXECABORT; EXEC itself ends the transaction and
/// is refused by EXECABORT. Returns the text to answer.
std::string NoteRefusal(Server& server, ClientId client, const Argv& argv, std::string_view error);

}  // namespace interlock::sim::redis
