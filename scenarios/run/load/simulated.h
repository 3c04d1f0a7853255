// SPDX-License-Identifier: MIT
//
// A measurement in virtual time: exact, and the same everywhere. Messages take 50 us to 1 ms, short
// times being likelier; commands take no time in the server, so it measures round trips, waiting
// and order, never a server's speed. Thread safety: each call by itself.
#pragma once

#include <cstdint>

#include <interlock/harness/lock.h>
#include <interlock/result.h>

#include "reports/contention.h"
#include "scenarios/log/event.h"
#include "scenarios/run/load/load.h"

namespace interlock::scenarios::contend {

struct Measured {
  reports::ContentionPoint point;
  EventLog log;
};

/// kInvalidArgument, with the reason: it cannot be measured in virtual time, because it is a latch,
/// its owners are not visible, or the fake server does not model one of its commands.
Result<Measured> MeasureSimulated(const harness::Subject& subject, int clients, const Load& load,
                                  std::uint64_t seed);

/// The options of the load's resources, the same for each client. `key_prefix` begins all keys.
std::vector<harness::LockOptions> OptionsFor(const harness::Subject& subject, const Load& load,
                                             const std::string& key_prefix);

}  // namespace interlock::scenarios::contend
