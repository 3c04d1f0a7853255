// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace interlock::sim::redis {

struct Client;
class Engine;
struct Context;

/// The server's end of the client's connection.
std::string LocalAddress(const Engine& engine, const Client& client);
/// "P" and others, one letter for each; "N": none.
std::string ClientFlags(const Engine& engine, const Client& client);
/// "id=3 addr=127.0.0.1:50000 ...", with a line end. `c` is the calling command.
std::string ClientLine(const Context& c, const Client& client);

}  // namespace interlock::sim::redis
