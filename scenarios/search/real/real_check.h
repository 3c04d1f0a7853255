// SPDX-License-Identifier: MIT
//
// Locks on real Redis servers, in wall time. Every client is a process of its own; a crash abandons
// that process (SIGKILL), so that no destructor reaches the server.
//
// Only what was seen from outside is judged, by interval rules that give no false alarm: two proven
// holds must not overlap; a release must not be answered "released" when nothing was left to
// release; live waiters must be served when all faults are over. What the rules cannot decide is
// inconclusive, never a violation. What is promised at all under which faults is as in a
// simulation.
//
// On servers of its own ("spawn") the scenarios' faults are brought about, as far as real servers
// and clients can be given them (real_fault.h), specimens have to be convicted, and several
// processes share the work. On somebody else's server the only faults are clients that die.
//
// Safety: keys only under a random prefix of this run, all of them removed at the end, after Ctrl-C
// too; on another one's server never FLUSH, SCRIPT FLUSH or CONFIG; a URL that leaves this machine
// is refused unless allowed. Whatever is started ends with this process, however that ends.
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
  std::vector<Entry> entries;  ///< specimens are left out on another one's server
  std::vector<const Scenario*> scenarios;
  const std::atomic<bool>* stop = nullptr;
  /// Repeats the check, with the next seed, for this long; the first round is always whole.
  std::optional<std::chrono::seconds> budget = std::nullopt;
  int jobs = 1;  ///< processes that share the work, on servers of one's own
};

/// REQUIRES: the calling process has one thread. kInvalidArgument: the URL, or nothing to run;
/// kUnavailable: a server was not reached, or could not be started.
Result<reports::RunReport> RunRealCheck(const RealCheckOptions& options);

}  // namespace interlock::scenarios
