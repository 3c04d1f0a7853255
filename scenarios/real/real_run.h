// SPDX-License-Identifier: MIT
//
// One workload on a real server: the clients as processes, then fresh clients that ask for every
// permit and one more, so that a grant which was lost with a dead client, and a hand-over, are
// always seen.
//
// Guarantee: ends, by a deadline computed from the workload, and soon after `stop` was set; all
// processes are gone then. Thread safety: as ClientProcesses.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "scenarios/history.h"
#include "scenarios/real/disturber.h"
#include "scenarios/workload.h"

namespace interlock::scenarios::real {

struct RealCase {
  const harness::Subject* subject = nullptr;
  harness::LockOptions options;
  HiredisOptions redis;  ///< with the database of the run
  Workload workload;     ///< in wall time
  const std::atomic<bool>* stop = nullptr;
  RedisServer* own = nullptr;  ///< it and the clients are disturbed as planned; nullptr: nobody is
  std::vector<Disturbance> disturbances = {};
};

struct RealRun {
  History history;  ///< the probes come after the workload's own clients
  bool stopped = false;
  int crashes = 0;
  std::uint64_t commands = 0;  ///< sent by the clients
  /// Why nothing at all can be said: a process failed, the server restarted, or set its clock.
  std::string broken;
  std::vector<Disturbance> disturbances;  ///< those that came about
  /// Why delays do not count: the machine or the server stood still.
  std::string disturbed;
};

/// kUnavailable: no processes, or no connection for watching the server.
Result<RealRun> RunOnRedis(Runtime& runtime, const RealCase& real_case);

}  // namespace interlock::scenarios::real
