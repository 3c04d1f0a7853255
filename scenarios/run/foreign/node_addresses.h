// SPDX-License-Identifier: MIT
//
// What servers tell clients of each other's addresses: MOVED and ASK, CLUSTER and SENTINEL, ROLE,
// INFO, and what Sentinels publish. Each client reaches the servers at ports of its own, while the
// servers know each other by the same ports in each run, none of which is a likely number of
// anything else.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <utility>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// The port by which servers know one of them, and the one where a client finds it.
using PortOfNode = std::pair<int, int>;

/// Whether the command asks for addresses.
bool AsksForAddresses(const sim::redis::Argv& argv);
/// Whether it is an error that tells one.
bool Redirects(const sim::redis::Value& reply);
/// Replaces the servers' ports, wherever they stand, by the client's.
void Translate(std::span<const PortOfNode> ports, sim::redis::Value& value);

}  // namespace interlock::scenarios::drive
