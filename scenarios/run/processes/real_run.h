// SPDX-License-Identifier: MIT
//
// One workload on real servers: the clients as processes, faults as planned and, when those are
// over, fresh clients that ask for every permit and one more, so that a grant lost with a dead
// client, and a hand-over, are always seen.
//
// Guarantee: ends by a deadline computed from the workload, and soon after `stop` is set; all
// processes are gone then. Thread safety: that of ClientProcesses.
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
#include "sim/redis/server.h"

namespace interlock::scenarios::real {

struct RealCase {
  const harness::Subject* subject = nullptr;
  harness::LockOptions options;
  std::string key_prefix;  ///< a prefix of all keys of the run, part of that in `options`
  HiredisOptions redis;    ///< with the run's database; only that is used for servers started here
  Workload workload;       ///< in wall time
  const std::atomic<bool>* stop = nullptr;
  bool own = false;        ///< start servers for this run alone, as the workload says
  bool sentinels = false;  ///< Sentinels decide on failovers
  bool forgetful = false;  ///< servers may lose acknowledged writes
  std::vector<sim::machine::RealFault> faults = {};  ///< only on servers started here
};

struct RealRun {
  EventLog log;     ///< what the clients reported, from the run's start
  History history;  ///< folded from it; the probes come after the workload's own clients
  std::vector<sim::redis::Server::KeyInfo> keys;  ///< at the end, with their remaining ms to live
  bool stopped = false;
  int crashes = 0;
  std::uint64_t commands = 0;  ///< sent by the clients
  /// Why the run says nothing at all: servers did not start, a process failed, somebody else's
  /// server restarted, a clock was set.
  std::string broken;
  std::vector<std::string_view> struck;  ///< the names of the faults that took effect
  bool servers_answered = true;          ///< none of those faults struck servers or links
  /// Why delays do not count: the machine or the server stood still.
  std::string disturbed;
};

/// kUnavailable: no processes, or somebody else's server was not reached.
Result<RealRun> RunOnRedis(Runtime& runtime, const RealCase& real_case);

}  // namespace interlock::scenarios::real
