// SPDX-License-Identifier: MIT
//
// What a client of a workload does with a latch (Traits::latch), over the harness interface alone:
// in virtual time and on real servers, as client_program.h. Each of the workload's operations is a
// party, except those of readers: its client thinks, counts down for it, repeats that while the
// outcome is unknown, works for a while and counts once more if it is to extend, and waits, as the
// operation asks. A reader only thinks and waits. The rest of an operation is for locks.
//
// Thread safety: as client_program.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenarios/run/client_program.h"

namespace interlock::scenarios {

/// The parties of the workload's latch, by number; a latch for which nobody counts has one.
std::vector<int> PartiesOf(const Workload& workload, int resource);
/// None of them: it counts down when all of them should have.
int OneTooMany(const Workload& workload);
/// As Lock::CountDown is given it.
std::string NameOfParty(int party);

/// See RunClient. A client that has still to count the same latch down waits for a limited time
/// only.
void RunLatchClient(int client, const ClientPlan& plan, Progress& progress,
                    harness::Environment& environment,
                    std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

/// What a client does that comes when all is well again. It counts down for every party, dead ones
/// included, so that every latch must open then.
struct LateComer {
  /// Before it counts: what is open must let it through at once. Not where servers may have
  /// forgotten something.
  bool looks_first = false;
  std::vector<int> counts_for;
  int one_too_many = 0;  ///< counts when it is open: that must change nothing
};

/// Thinks, counts down for each of those (whichever client should have), waits as the operation
/// asks, and, if it was let through, counts once more than needed and looks again.
void CountForAll(int client, const Operation& operation, const LateComer& late_comer,
                 harness::Environment& environment,
                 std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

}  // namespace interlock::scenarios
