// SPDX-License-Identifier: MIT
//
// S. Sanfilippo (antirez), "Is Redlock safe?", 2016-02-09.
#include "scenarios/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using std::chrono::milliseconds;

/// A1: the lock is granted with 9,893 ms of validity left, and the pause comes before the first
/// protected step. He concedes that every lock with automatic release is open to it.
Scenario A1() {
  const Operation short_work{.hold = milliseconds(500)};
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation in_turn{.ask = Ask::kWaitFor,
                          .think = milliseconds(10'000),
                          .wait = milliseconds(6'000),
                          .hold = milliseconds(8'000)};
  const Workload workload = Clients({Does({short_work}), Does({too_early, in_turn})});
  Scenario scenario = Row(
      "antirez.a1", "a pause between the grant and the first protected step outlasts the lease");
  Pin(scenario,
      AtAnyStep(workload, {.kind = sim::FaultKind::kPause, .length = milliseconds(14'994)}));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kKeys};
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
  return scenario;
}

}  // namespace

std::vector<Scenario> AntirezRows() { return {A1()}; }

}  // namespace interlock::scenarios::catalogue
