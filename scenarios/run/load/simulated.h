// SPDX-License-Identifier: MIT
//
// A measurement in virtual time: exact, and the same everywhere. Messages take 50 us to 1 ms, short
// times being likelier; commands take no time in the server, so it measures round trips, waiting
// and order, never a server's speed. Thread safety: each call by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// What is measured of a lock, in any world.
struct Measurand {
  const harness::Subject* subject = nullptr;
  int clients = 0;
  Load load;
  std::vector<harness::LockOptions> options;  ///< of the load's resources, for all clients
};

/// The number of servers that the lock uses, if they are ours.
int ServersFor(const harness::Subject& subject);

/// `key_prefix` begins all keys. kInvalidArgument: the lock is a latch.
Result<Measurand> MeasurandOf(const harness::Subject& subject, int clients, const Load& load,
                              const std::string& key_prefix);

/// The figures of a log in any order. `sees_server`: it includes events in the server.
Measured MeasuredBy(EventLog log, const Measurand& measurand, bool sees_server);

}  // namespace interlock::scenarios::contend
