// SPDX-License-Identifier: MIT
//
// The names and addresses of the simulated servers, as getaddrinfo and connect see them. "redis" is
// the primary of the moment of a connect, "redis-0", "redis-1" ... are the servers themselves, and
// so is what they call themselves in CLUSTER SLOTS or to Sentinels. The addresses are those of
// TEST-NET-1 (RFC 5737): 192.0.2.1 on, and 192.0.2.254 for the primary. Any port leads to the
// server, and so does a Unix socket whose file, in any folder, has the server's name and ".sock".
// What is written into much code, "localhost" and 127.0.0.1, is the primary, too.
// Thread safety: none.
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <optional>
#include <string_view>

#include "sim/engine.h"

namespace interlock::sim::posix {

/// As getaddrinfo(3): 0, EAI_NONAME, EAI_SERVICE, EAI_FAMILY or EAI_MEMORY. One IPv4 address.
/// freeaddrinfo of the C library frees it.
int LookUp(const Engine& engine, const char* name, const char* service, const addrinfo* hints,
           addrinfo** found);

/// The server's index; nullopt: nobody has that address.
std::optional<int> NodeAt(const Engine& engine, const sockaddr* address, socklen_t size);

}  // namespace interlock::sim::posix
