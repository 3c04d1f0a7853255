// SPDX-License-Identifier: MIT
//
// One workload on real servers: the clients as processes, faults as planned, and, when those are
// over, fresh clients that ask for every permit and one more, so that a grant which was lost with a
// dead client, and a hand-over, are always seen.
//
// Guarantee: ends, by a deadline computed from the workload, and soon after `stop` was set; all
// processes are gone then. Thread safety: as ClientProcesses.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "scenarios/cases/workload.h"
#include "scenarios/run/processes/real_fault.h"
#include "scenarios/run/processes/real_history.h"
#include "sim/machine/proxy/fault_proxy.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::real {

struct RealCase {
  const harness::Subject* subject = nullptr;
  harness::LockOptions options;
  std::string key_prefix;  ///< a prefix of all keys of the run, a part of that in `options`
  HiredisOptions redis;    ///< with the run's database; for servers of one's own only that is used
  Workload workload;       ///< in wall time
  const std::atomic<bool>* stop = nullptr;
  bool own = false;        ///< start servers as the workload says, for this run alone
  bool sentinels = false;  ///< Sentinels decide on failovers
  bool forgetful = false;  ///< servers may lose acknowledged writes
  std::vector<sim::machine::RealFault> faults = {};  ///< on servers of one's own
};

struct RealRun {
  RealHistory history;  ///< the probes come after the workload's own clients
  std::vector<sim::redis::Server::KeyInfo> keys;  ///< at the end, with their remaining ms to live
  bool stopped = false;
  int crashes = 0;
  std::uint64_t commands = 0;  ///< sent by the clients
  /// Why nothing at all can be said: servers did not start, a process failed, somebody else's
  /// server restarted, a clock was set.
  std::string broken;
  std::vector<std::string_view> struck;  ///< the names of the faults that came about
  bool servers_answered = true;          ///< none of those faults was one of servers or links
  /// Why delays do not count: the machine or the server stood still.
  std::string disturbed;
};

/// kUnavailable: no processes, or somebody else's server was not reached.
Result<RealRun> RunOnRedis(Runtime& runtime, const RealCase& real_case);

}  // namespace interlock::scenarios::real
