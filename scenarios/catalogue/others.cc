// SPDX-License-Identifier: MIT
//
// What other systems reported: etcd's issue 11456 and Jepsen analysis, Curator's tech note 10,
// Chubby's and Consul's lock-delay, etcd's issue 10811.
#include "scenarios/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using std::chrono::milliseconds;

/// E1: C2 waits for so long that a lease counted from its arrival in the queue is over before it is
/// told "yours"; C3 waits behind it. A lock must count a lease from its grant.
Scenario E1() {
  const Operation holds_long{.hold = milliseconds(9'000), .extend = true};
  const Operation waits{.ask = Ask::kWaitFor,
                        .think = milliseconds(100),
                        .wait = milliseconds(60'000),
                        .hold = milliseconds(5'000)};
  const Operation behind{.ask = Ask::kWaitFor,
                         .think = milliseconds(200),
                         .wait = milliseconds(60'000),
                         .hold = milliseconds(5'000)};
  const Workload workload =
      Clients({Does({holds_long, holds_long}), Does({waits}), Does({behind})});
  Scenario scenario = Row("etcd.e1", "a waiter is granted the lock after a wait of a whole lease");
  Pin(scenario, std::vector<Workload>(8, workload));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kDeadlock, Judged::kKeys};
  return scenario;
}

/// C1: a collection of 10 s under a lease of 3 s; the other client holds when the first one wakes.
/// Its belief must have ended by its own clock, though nobody could tell it so.
Scenario C1() {
  const Operation first{.hold = milliseconds(2'500)};
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation second{.ask = Ask::kWaitFor,
                         .think = milliseconds(3'000),
                         .wait = milliseconds(9'000),
                         .hold = milliseconds(2'500)};
  Workload workload = Clients({Does({first}), Does({too_early, second, second, second})});
  workload.lease = std::chrono::seconds(3);
  Scenario scenario = Row("curator.c1", "after a collection of 10 s, two clients may believe");
  Pin(scenario,
      AtAnyStep(workload, {.kind = sim::FaultKind::kPause, .length = milliseconds(10'000)}));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> OtherRows() { return {E1(), C1()}; }

}  // namespace interlock::scenarios::catalogue
