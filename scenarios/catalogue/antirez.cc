// SPDX-License-Identifier: MIT
//
// S. Sanfilippo (antirez), "Is Redlock safe?", 2016-02-09.
#include <string>
#include <utility>

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

/// A3: the server counts 10 % fast and the client 10 % slow, so that the client runs at 0.9 / 1.1
/// of the server's rate. Only that ratio counts, so the server's clock stands for true time here.
/// The sweep goes from equal rates to that one; a lock is safe up to the part of the lease that it
/// takes off for drift.
Scenario A3() {
  const Operation whole_lease{.hold = 2 * kLease};
  const Operation waits{.ask = Ask::kWaitFor,
                        .think = milliseconds(100),
                        .wait = milliseconds(30'000),
                        .hold = milliseconds(5'000)};
  Scenario scenario =
      Row("antirez.a3", "a client's clock is slow against the server's, by up to 18.2 %");
  std::vector<Workload> workloads;
  for (const int slower_ppm : {0, 2'500, 5'000, 7'500, 10'000, 12'500, 15'000, 20'000, 50'000,
                               100'000, 150'000, 181'818}) {
    Workload workload = Clients({Does({whole_lease}), Does({waits})});
    workload.clients.front().clock_rate_ppm = -slower_ppm;
    workloads.push_back(workload);
    scenario.sweep.push_back(std::to_string(slower_ppm) + " ppm");
  }
  Pin(scenario, std::move(workloads));
  scenario.max_runs = scenario.pinned.size();
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kKeys};
  for (const SynchronyClass synchrony : scenario.classes) {
    scenario.weaknesses.push_back({synchrony, Judged::kBeliefExclusion});
    scenario.weaknesses.push_back({synchrony, Judged::kSectionExclusion});
  }
  return scenario;
}

}  // namespace

std::vector<Scenario> AntirezRows() { return {A1(), A3()}; }

}  // namespace interlock::scenarios::catalogue
