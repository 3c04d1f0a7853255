// SPDX-License-Identifier: MIT
//
// What other systems reported: etcd's issue 11456 and Jepsen analysis, Curator's tech note 10,
// Chubby's and Consul's lock-delay, etcd's issue 10811.
#include <cstddef>
#include <utility>
#include <vector>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// E1: C2 waits for so long that a lease counted from its arrival in the queue is over before it is
/// told "yours"; C3 waits behind it. A lock must count a lease from its grant.
Scenario E1() {
  const Operation holds_long{.hold = 9'000ms, .extend = true};
  const Operation waits{.ask = Ask::kWaitFor, .think = 100ms, .wait = 60'000ms, .hold = 5'000ms};
  const Operation behind{.ask = Ask::kWaitFor, .think = 200ms, .wait = 60'000ms, .hold = 5'000ms};
  const Workload workload =
      Clients({Does({holds_long, holds_long}), Does({waits}), Does({behind})});
  Scenario scenario = Row("etcd.e1", "a waiter is granted the lock after a wait of a whole lease");
  Pin(scenario, std::vector<Workload>(8, workload));
  scenario.judges = ExclusionsAnd({Judged::kDeadlock, Judged::kKeys});
  return scenario;
}

/// C1: a collection of 10 s under a lease of 3 s; the other client holds when the first one wakes.
/// Its belief must have ended by its own clock, though nobody could tell it so.
Scenario C1() {
  const Operation first{.hold = 2'500ms};
  const Operation too_early{.think = 100ms, .hold = 1ms};
  const Operation second{.ask = Ask::kWaitFor, .think = 3'000ms, .wait = 9'000ms, .hold = 2'500ms};
  Workload workload = Clients({Does({first}), Does({too_early, second, second, second})});
  workload.lease = 3s;
  Scenario scenario = Row("curator.c1", "after a collection of 10 s, two clients may believe");
  Pin(scenario, AtAnyStep(workload, {.kind = sim::FaultKind::kPause, .length = 10'000ms}));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kKeys};
  return scenario;
}

/// E2: the pattern of Jepsen's test of etcd's locks: five clients read, sleep for up to a lease of
/// 2 s, and write; each of them is paused for 5 s once. How much is lost is the point.
Scenario ReadSleepWrite(std::string_view name, std::string_view summary, GuardKind guard) {
  constexpr int kClients = 5;
  constexpr int kVariants = 24;
  constexpr int kSteps = 60;
  Workload workload;
  workload.lease = 2s;
  workload.latency_max = 2ms;
  workload.guard = guard;
  for (int client = 0; client < kClients; ++client) {
    ClientPlan plan;
    for (const int sleep : {0, 300, 700, 1'200, 1'700}) {
      plan.operations.push_back({.ask = Ask::kWaitFor,
                                 .think = milliseconds(10 * client),
                                 .wait = 60'000ms,
                                 .hold = milliseconds(sleep),
                                 .heedless = true});
    }
    workload.clients.push_back(plan);
  }
  std::vector<Workload> variants(kVariants, workload);
  for (int variant = 0; variant < kVariants; ++variant) {
    for (int client = 0; client < kClients; ++client) {
      variants[static_cast<std::size_t>(variant)]
          .clients[static_cast<std::size_t>(client)]
          .faults.push_back({.kind = sim::FaultKind::kPause,
                             .step = (5 * variant + 13 * client) % kSteps,
                             .length = 5'000ms});
    }
  }
  Scenario scenario = Row(name, summary);
  Pin(scenario, std::move(variants));
  JudgeWritesToo(scenario);
  scenario.tells_losses = true;
  return scenario;
}

Scenario E2() {
  Scenario scenario = ReadSleepWrite(
      "etcd.e2", "guarded read, sleep and write under pauses: lost updates", GuardKind::kUnfenced);
  // Of a FairMutex that is handed over, two sleeps in a hundred are hit.
  scenario.weaknesses.push_back({.synchrony = SynchronyClass::kArbitrary,
                                 .property = Judged::kFencedWrites,
                                 .by_the_draw = true});
  return scenario;
}

Scenario E2Fenced() {
  return ReadSleepWrite("etcd.e2f", "as e2, and the storage refuses an old fencing token",
                        GuardKind::kFenced);
}

/// C1 holds for `hold`, and C2 waits for its turn from 2 s on.
Workload HoldsAndIsWaitedFor(Duration hold, GuardKind guard) {
  const Operation waits{.ask = Ask::kWaitFor, .think = 2'000ms, .wait = 20'000ms, .hold = 3'000ms};
  Workload workload = Clients({Does({{.hold = hold}}), Does({waits})});
  workload.guard = guard;
  return workload;
}

/// H1 of a write: C1 dies in its section with a write under way, which takes 1 s. It is sent
/// shortly before a lease ends, or before the last eighth of one begins.
std::vector<Workload> DiesWithAWriteUnderWay(Duration hold) {
  std::vector<Workload> sweep =
      AtAnyStep(HoldsAndIsWaitedFor(hold, GuardKind::kUnfenced),
                {.kind = sim::FaultKind::kDelayRequest, .length = 1'000ms});
  for (Workload& one : sweep) {
    // The step after that at which the write is sent is the first of the wait for its answer.
    std::vector<PlannedFault>& faults = one.clients.front().faults;
    faults.push_back({.kind = sim::FaultKind::kCrash, .step = faults.front().step + 1});
  }
  return sweep;
}

/// H1 of a section: C1 is paused for 1 s between its look at its validity and the last thing that
/// it does. That is fenced here: what is left is the section.
std::vector<Workload> IsLateForASecond(Duration hold) {
  return AtAnyStep(HoldsAndIsWaitedFor(hold, GuardKind::kFenced),
                   {.kind = sim::FaultKind::kPause, .length = 1'000ms});
}

/// H1: Chubby and Consul refuse everybody for a while when a holder has not released. What is late
/// by less than that comes before the next one begins; kleppmann.k1 and k3 are late by more.
Scenario H1() {
  std::vector<Workload> all;
  for (const Duration hold : {8'600ms, 9'850ms}) {
    Append(DiesWithAWriteUnderWay(hold), all);
    Append(IsLateForASecond(hold), all);
  }
  Scenario scenario = Row("chubby.h1", "new owners are refused for a while after an expiry");
  Pin(scenario, std::move(all));
  scenario.judges = ExclusionsAnd({Judged::kFencedWrites, Judged::kKeys});
  for (const Judged property : {Judged::kSectionExclusion, Judged::kFencedWrites}) {
    scenario.weaknesses.push_back({SynchronyClass::kArbitrary, property, true});
  }
  return scenario;
}

/// H2: C1 is cut off from the lock server and from nothing else, so that what it writes arrives
/// while its extensions do not. It is safe because work stops when the validity ends.
Scenario H2() {
  const Operation extends{.hold = 15'000ms, .extend = true};
  const Operation waits{.ask = Ask::kWaitFor, .think = 100ms, .wait = 60'000ms, .hold = 2'000ms};
  Workload workload = Clients({Does({extends}), Does({waits, waits})});
  workload.guard = GuardKind::kUnfenced;
  Scenario scenario = Row("etcd.h2", "a client is cut off from the lock server alone");
  Pin(scenario,
      AtAnyStep(workload, {.kind = sim::FaultKind::kPartitionToServer, .length = 30'000ms}));
  scenario.judges = ExclusionsAnd({Judged::kFencedWrites, Judged::kKeys});
  return scenario;
}

}  // namespace

std::vector<Scenario> OtherRows() { return Together(E1(), E2(), E2Fenced(), C1(), H1(), H2()); }

}  // namespace interlock::scenarios::catalogue
