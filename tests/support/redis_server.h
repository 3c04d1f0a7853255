// SPDX-License-Identifier: MIT
//
// Real redis-servers of a test's own, one or several that belong together: those that the program
// starts for itself.
#pragma once

#include "scenarios/real/redis_server.h"
#include "scenarios/real/redis_topology.h"

namespace interlock::testing {

using scenarios::real::RedisServer;
using scenarios::real::RedisServerOptions;
using scenarios::real::RedisTopology;
using scenarios::real::RedisTopologyOptions;

}  // namespace interlock::testing
