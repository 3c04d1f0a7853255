// SPDX-License-Identifier: MIT
//
// The sound locks on a real Redis: fault-free scenarios and crashes, in wall time. Every client is
// a process of its own; a crash abandons that process (SIGKILL), so that no destructor reaches the
// server.
//
// Only what was seen from outside is judged, by interval rules that give no false alarm: two proven
// holds must not overlap; a release must not be answered "released" twice; live waiters must be
// served. What the rules cannot decide is inconclusive, never a violation.
//
// On a server of its own ("spawn") each workload runs a second time, with clients and server being
// disturbed on purpose (see disturber.h).
//
// Safety: keys only under a random prefix of this run, all of them removed at the end, after Ctrl-C
// too; on another one's server never FLUSH, SCRIPT FLUSH or CONFIG; a URL that leaves this machine
// is refused unless allowed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/campaign.h"

namespace interlock::scenarios {

struct RealCheckOptions {
  std::string url;  ///< "spawn": a server of its own
  bool allow_remote = false;
  std::uint64_t seed = 1;
  std::vector<Entry> entries;  ///< specimens are left out
  std::vector<const Scenario*> scenarios;
  const std::atomic<bool>* stop = nullptr;
  /// Again and again, with the next seed, for so long; the first round is always whole.
  std::optional<std::chrono::seconds> budget = std::nullopt;
};

/// kInvalidArgument: the URL, or nothing to run; kUnavailable: the server was not reached.
Result<reports::RunReport> RunRealCheck(const RealCheckOptions& options);

}  // namespace interlock::scenarios
