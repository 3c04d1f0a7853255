// SPDX-License-Identifier: MIT
//
// S. Sanfilippo (antirez), "Is Redlock safe?", 2016-02-09.
#include <string>
#include <utility>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;

/// A1: the lock is granted with 9,893 ms of validity left, and the pause comes before the first
/// protected step. He concedes that every lock with automatic release is open to it.
Scenario A1() {
  Scenario scenario = Row(
      "antirez.a1", "a pause between the grant and the first protected step outlasts the lease");
  Pin(scenario, AtAnyStep(HolderAndSuccessor({.hold = 500ms}),
                          {.kind = sim::FaultKind::kPause, .length = 14'994ms}));
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
  return scenario;
}

/// A2: tokens need no order, if the holder first leaves its own at the resource and then writes
/// only if it is still there. C1 sets a and is paused; C2 sets b; C1's write is refused.
Scenario A2() {
  Scenario scenario = Row("antirez.a2", "unordered tokens, checked and set at the resource");
  Pin(scenario, std::vector<Workload>(
                    8, HolderAndSuccessor({.hold = 500ms, .heedless = true, .stall = 14'990ms},
                                          GuardKind::kCheckAndSet)));
  JudgeWritesToo(scenario);
  scenario.tells_losses = true;
  return scenario;
}

/// A2': the adverse order. C1 is paused before it has set anything; C2 sets b; C1 wakes, sets a and
/// writes, and C2's legal write is refused. Nothing is torn, but the stale client wins.
Scenario A2Adverse() {
  Scenario scenario = Row("antirez.a2p", "as a2, and the pause comes before the token is set");
  Pin(scenario,
      AtAnyStep(HolderAndSuccessor({.hold = 500ms, .heedless = true}, GuardKind::kCheckAndSet),
                {.kind = sim::FaultKind::kPause, .length = 14'990ms}));
  JudgeWritesToo(scenario);
  scenario.weaknesses.push_back({SynchronyClass::kArbitrary, Judged::kFencedWrites});
  scenario.tells_losses = true;
  return scenario;
}

/// A8: kleppmann.k1 with a client that looks at its remaining validity right before it writes. What
/// is left is the pause between the look and the write: compare the rates of lost updates.
Scenario A8() {
  const Operation careful{.hold = 9'000ms};
  Scenario scenario = Row("antirez.a8", "validity is checked before each protected step");
  Pin(scenario, AtAnyStep(HolderAndSuccessor(careful, GuardKind::kUnfenced),
                          {.kind = sim::FaultKind::kPause, .length = 14'980ms}));
  JudgeWritesToo(scenario);
  scenario.weaknesses.push_back({SynchronyClass::kArbitrary, Judged::kFencedWrites});
  scenario.tells_losses = true;
  return scenario;
}

/// A3: the server counts 10 % fast and the client 10 % slow, so that the client runs at 0.9 / 1.1
/// of the server's rate. Only that ratio counts, so the server's clock stands for true time here.
/// The sweep goes from equal rates to that one; a lock is safe up to the part of the lease that it
/// takes off for drift.
Scenario A3() {
  const Operation whole_lease{.hold = 2 * kLease};
  const Operation waits{.ask = Ask::kWaitFor, .think = 100ms, .wait = 30'000ms, .hold = 5'000ms};
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
  scenario.gate_runs = scenario.max_runs;
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  scenario.weaknesses = InEveryClass({Judged::kBeliefExclusion, Judged::kSectionExclusion});
  return scenario;
}

/// C1 holds for its whole lease, or dies with it; C2 waits for it.
Workload OneAfterTheOther(const Operation& first) {
  const Operation second{.ask = Ask::kWaitFor, .think = 2'000ms, .wait = 60'000ms, .hold = 5'000ms};
  return Clients({Does({first}), Does({second})});
}

/// A4: the server's clock steps back by 25 s, and the key of a dead holder lives that much longer.
/// That costs time, and no safety.
Scenario A4() {
  Workload workload = OneAfterTheOther({.hold = 9'000ms});
  workload.clients.back().faults.push_back({sim::FaultKind::kServerClockJump, 4, -25'000ms, 0});
  Scenario scenario = Row("antirez.a4", "the server's clock steps back, and a key lives longer");
  Pin(scenario, AtAnyStep(workload, {.kind = sim::FaultKind::kCrash}));
  scenario.gives_up.clocks = true;
  scenario.judges = ExclusionsAnd({Judged::kCrashRecovery});
  scenario.weaknesses = InEveryClass({Judged::kCrashRecovery});
  return scenario;
}

/// A5: a clock that is slewed, as NTP does it, by at most 500 ppm: every drift allowance has room
/// for that.
Scenario A5() {
  std::vector<Workload> both;
  for (const std::int64_t ppm : {500, -500}) {
    Workload workload = OneAfterTheOther({.hold = kLease});
    Append(AtAnyStep(workload, {.kind = sim::FaultKind::kServerClockRate, .length = Duration(ppm)}),
           both);
  }
  Scenario scenario = Row("antirez.a5", "the server's clock is slewed");
  Pin(scenario, std::move(both));
  scenario.judges = ExclusionsAnd({});
  return scenario;
}

/// A7: what kleppmann.k10 loses is kept by a server that syncs every write, and does no harm if the
/// restart is delayed until the last lease is over.
Scenario A7() {
  std::vector<Workload> both;
  for (const bool syncs : {true, false}) {
    Workload workload = OneAfterTheOther({.hold = kLease});
    std::swap(workload.clients.front(), workload.clients.back());
    // It comes when all is over: nothing ends, and so heals, before the late restart.
    workload.clients.push_back(Does({{.think = 50'000ms, .hold = 1ms}}));
    workload.persistence = syncs ? sim::Persistence::kAofAlways : sim::Persistence::kNone;
    const Duration down = syncs ? Duration(100ms) : kLease + kLease / 5;
    Append(AtAnyStep(workload, {.kind = sim::FaultKind::kServerPowerLoss, .length = down}), both);
  }
  Scenario scenario =
      Row("antirez.a7", "a server that syncs every write restarts, or restarts late");
  Pin(scenario, std::move(both));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> AntirezRows() {
  return Together(A1(), A2(), A2Adverse(), A3(), A8(), A4(), A5(), A7());
}

}  // namespace interlock::scenarios::catalogue
