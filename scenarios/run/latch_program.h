// SPDX-License-Identifier: MIT
//
// What a client of a workload does with a latch, over the harness interface alone: in virtual time
// and on real servers, as in client_program.h. An operation is a LatchUse there; a count is
// repeated while its outcome is unknown.
//
// Thread safety: that of client_program.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scenarios/cases/parties.h"
#include "scenarios/run/client_program.h"

namespace interlock::scenarios {

/// See RunClient. A client that must still count down the same latch waits only for a limited time.
void RunLatchClient(int client, const ClientPlan& plan, Progress& progress,
                    harness::Environment& environment,
                    std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

/// What a client does in phase 2. It counts down for every party, dead ones included, so that every
/// latch must open then.
struct LateComer {
  /// Before counting: an open latch must let it through at once. False where servers may have
  /// forgotten data.
  bool looks_first = false;
  std::vector<int> counts_for;
  int one_too_many = 0;  ///< counts when the latch is open, which must change nothing
};

/// Thinks, counts down for each of those (whichever client should have), waits as the operation
/// asks, and, if let through, counts once more than needed and looks again.
void CountForAll(int client, const Operation& operation, const LateComer& late_comer,
                 harness::Environment& environment,
                 std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

}  // namespace interlock::scenarios
