// SPDX-License-Identifier: MIT
//
// Real redis-servers of a test's own, one or several that belong together: those that the program
// starts for itself.
#pragma once

#include "sim/machine/redis_server.h"
#include "sim/machine/redis_topology.h"

namespace interlock::testing {

using sim::machine::RedisServer;
using sim::machine::RedisServerOptions;
using sim::machine::RedisTopology;
using sim::machine::RedisTopologyOptions;

}  // namespace interlock::testing
