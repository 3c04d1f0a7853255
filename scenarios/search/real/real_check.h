// SPDX-License-Identifier: MIT
//
// Tests locks on real Redis servers, in wall time. Every client is a process of its own; a crash is
// a SIGKILL, so that no destructor reaches the server.
//
// Only what is visible from outside is judged, by interval rules without false alarms: two proven
// holds must not overlap; a release must not be answered "released" when nothing was left to
// release; live waiters must be served once all faults are over. What the rules cannot decide is
// inconclusive, never a violation. Which promises hold under which faults is the same as in a
// simulation.
//
// On its own servers ("spawn") it injects the scenarios' faults as far as real servers and clients
// allow (real_fault.h), specimens must be convicted, and several processes share the work. On
// somebody else's server the only faults are clients that die.
//
// Safety: keys only under a random prefix of this run, all removed at the end, even after Ctrl-C;
// never FLUSH, SCRIPT FLUSH or CONFIG on somebody else's server; a non-local URL is refused unless
// allowed. Everything started ends with this process, however that ends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

struct RealCheckOptions {
  std::string url;  ///< "spawn": servers of its own
  bool allow_remote = false;
  std::uint64_t seed = 1;
  std::vector<Entry> entries;  ///< specimens are left out on somebody else's server
  std::vector<const Scenario*> scenarios;
  const std::atomic<bool>* stop = nullptr;
  /// Repeats the check, with the next seed, for this long; always completes the first round.
  std::optional<std::chrono::seconds> budget = std::nullopt;
  int jobs = 1;  ///< processes that share the work, each on its own servers
};

/// REQUIRES: the calling process has one thread. kInvalidArgument: the URL, or nothing to run;
/// kUnavailable: a server was not reached, or could not be started.
Result<reports::RunReport> RunRealCheck(const RealCheckOptions& options);

}  // namespace interlock::scenarios
