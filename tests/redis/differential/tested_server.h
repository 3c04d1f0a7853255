// SPDX-License-Identifier: MIT
//
// Which server the fake is compared with: the one of $INTERLOCK_REDIS_SERVER, or this machine's.
#pragma once

#include "sim/redis/dialect.h"

namespace interlock::testing {

/// The dialect that the server's own version asks for; printed once. Throws std::runtime_error if
/// there is no server, or none of the dialects is like it.
const sim::redis::Dialect& TestedDialect();

}  // namespace interlock::testing
