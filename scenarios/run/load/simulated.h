// SPDX-License-Identifier: MIT
//
// A measurement in virtual time: exact, and the same everywhere. Messages travel for 50 us to 1 ms,
// short times likelier; servers take no time for a command, so what is measured are round trips,
// waiting and order, and never a server's speed. Thread safety: each call by itself.
#pragma once

#include <cstdint>

#include <interlock/harness/lock.h>
#include <interlock/result.h>

#include "reports/contention.h"
#include "scenarios/run/load/load.h"
#include "scenarios/run/load/log.h"

namespace interlock::scenarios::contend {

struct Measured {
  reports::ContentionPoint point;
  Log log;
};

/// kInvalidArgument: it cannot be measured in virtual time, with the reason: it is a latch, its
/// owners cannot be seen, or the fake server does not model a command of it.
Result<Measured> MeasureSimulated(const harness::Subject& subject, int clients, const Load& load,
                                  std::uint64_t seed);

/// What each client of the load calls its resources. `key_prefix` begins all keys.
std::vector<harness::LockOptions> OptionsFor(const harness::Subject& subject, const Load& load,
                                             const std::string& key_prefix);

}  // namespace interlock::scenarios::contend
