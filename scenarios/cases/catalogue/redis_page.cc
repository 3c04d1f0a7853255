// SPDX-License-Identifier: MIT
//
// Redis' own page, "Distributed Locks with Redis".
#include "scenarios/cases/catalogue/rows.h"

#include <utility>
#include <vector>

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;

/// D1: the primary acknowledges C1's lock and dies before a replica has heard of it; C2 asks the
/// promoted replica. Replication is asynchronous: no lock on one primary prevents it.
Scenario D1() {
  Workload workload = WholeLeaseAndSecond();
  workload.topology = sim::Topology::kReplicated;
  workload.nodes = 2;
  Scenario scenario = Row("redis.d1", "the master dies before its replica knows of the lock");
  Pin(scenario, AtAnyStep(workload, {.kind = sim::FaultKind::kFailover, .length = 1'000ms}));
  scenario.gives_up.writes = true;
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  scenario.weaknesses = InEveryClass(ExclusionsAnd({}));
  return scenario;
}

/// D2: C1's work outlives its lease; C2 holds when C1 comes back to release. A plain DEL then frees
/// C2's lock, and C3 enters beside it. A lock that compares its token holds in every class.
Scenario D2() {
  const Operation late{.hold = kLease, .overstay = 3'000ms};
  const Operation second{.ask = Ask::kWaitFor, .think = 5'000ms, .wait = 8'000ms, .hold = 9'000ms};
  const Operation third{.ask = Ask::kWaitFor, .think = 13'500ms, .wait = 10'000ms, .hold = 1'000ms};
  // A waiter may sleep for a whole lease, if its lock says so: then this one is in time.
  const Operation after_the_end{.think = 11'000ms, .hold = 9'000ms};
  std::vector<Workload> placings(8, Clients({Does({late}), Does({second}), Does({third})}));
  placings[1] = Clients({Does({late}), Does({after_the_end}), Does({third})});
  Scenario scenario = Row("redis.d2", "a holder whose lease is over releases the next one's lock");
  Pin(scenario, std::move(placings));
  scenario.judges = {Judged::kForeignRelease, Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kKeys};
  return scenario;
}

/// D5: extended while valid, and asked to extend once more when the lease is over and another
/// client holds: that must fail.
Scenario D5() {
  const Operation late{.hold = 8'000ms, .extend = true, .overstay = 3'000ms};
  const Operation second{.ask = Ask::kWaitFor, .think = 5'000ms, .wait = 20'000ms, .hold = 9'000ms};
  Scenario scenario = Row("redis.d5", "a lease is extended in time, and once more after its end");
  Pin(scenario, std::vector<Workload>(8, Clients({Does({late}), Does({second})})));
  scenario.judges = {Judged::kForeignExtend, Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> RedisRows() { return Together(D1(), D2(), D5()); }

}  // namespace interlock::scenarios::catalogue
