// SPDX-License-Identifier: MIT
//
// M. Kleppmann, "How to do distributed locking", 2016-02-08.
#include "scenarios/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using std::chrono::milliseconds;

/// C1 takes the lock and means to work for the whole lease; C2 asks at once, is refused, and gets
/// it at 10,100 ms, when C1's lease is over.
Workload HolderAndSuccessor() {
  const Operation whole_lease{.hold = kLease};
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation in_turn{.ask = Ask::kWaitFor,
                          .think = milliseconds(10'000),
                          .wait = milliseconds(6'000),
                          .hold = milliseconds(8'000)};
  return Clients({Does({whole_lease}), Does({too_early, in_turn})});
}

/// K1: the pause from 20 to 15,000 ms outlasts the lease, so C1 wakes inside its section while C2
/// works. No lock service prevents it.
Scenario K1() {
  Scenario scenario = Row("kleppmann.k1", "a holder is paused past its lease, and works on");
  Pin(scenario, AtAnyStep(HolderAndSuccessor(),
                          {.kind = sim::FaultKind::kPause, .length = milliseconds(14'980)}));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kKeys};
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
  return scenario;
}

/// K8: tokens must grow from grant to grant; random values are unique, and have no order.
Scenario K8() {
  const Operation work{.ask = Ask::kWaitFor,
                       .think = milliseconds(50),
                       .wait = milliseconds(30'000),
                       .hold = milliseconds(700)};
  Scenario scenario = Row("kleppmann.k8", "tokens that are only unique, such as random values");
  Pin(scenario,
      std::vector<Workload>(8, Clients({Does({work, work, work}), Does({work, work, work})})));
  scenario.judges = {Judged::kTokens, Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> KleppmannRows() { return {K1(), K8()}; }

}  // namespace interlock::scenarios::catalogue
