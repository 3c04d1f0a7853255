// SPDX-License-Identifier: MIT
//
// A real redis-server of a test's own: the one that the program starts for itself.
#pragma once

#include "scenarios/real/redis_server.h"

namespace interlock::testing {

using scenarios::real::RedisServer;
using scenarios::real::RedisServerOptions;

}  // namespace interlock::testing
