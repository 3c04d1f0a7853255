// SPDX-License-Identifier: MIT
//
// M. Kleppmann, "How to do distributed locking", 2016-02-08.
#include <string_view>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;

/// K1: the pause from 20 to 15,000 ms outlasts the lease, so C1 wakes inside its section while C2
/// works, and writes v0+a without another look at its lease. No lock service prevents it.
Scenario K1() {
  Scenario scenario = Row("kleppmann.k1", "a holder is paused past its lease, and writes");
  const Operation work{.hold = 9'000ms, .heedless = true};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kUnfenced),
                          {.kind = sim::FaultKind::kPause, .length = 14'980ms}));
  JudgeWritesToo(scenario);
  scenario.weaknesses.push_back({SynchronyClass::kArbitrary, Judged::kFencedWrites});
  scenario.tells_losses = true;
  return scenario;
}

/// The cure that he proposes: the storage has seen 34, and refuses the write with 33.
Scenario K1Fenced() {
  Scenario scenario = Row("kleppmann.k1f", "as k1, and the storage refuses an old fencing token");
  // A stale holder may try to extend before it writes: no lock may give it a new token then.
  const Operation work{.hold = 9'000ms, .extend = true, .heedless = true};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kFenced),
                          {.kind = sim::FaultKind::kPause, .length = 14'980ms}));
  JudgeWritesToo(scenario);
  scenario.tells_losses = true;
  return scenario;
}

/// K2: a look at the TTL right before the write does not help: at 9,880 ms some 10 ms are left, and
/// the pause comes after the look. The storage is fenced here: what is left is the section.
Scenario K2() {
  Scenario scenario = Row("kleppmann.k2", "the pause comes after the holder's look at its TTL");
  const Operation work{.hold = 9'880ms};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kFenced),
                          {.kind = sim::FaultKind::kPause, .length = 5'110ms}));
  JudgeWritesToo(scenario);
  return scenario;
}

/// K3: C1 writes at 500 ms and stops in time, but the network keeps that write for 90 s; C2 writes
/// at 12,000 ms, and at 90,500 ms C1's write lands. Lock and clients are correct.
Scenario WriteOnItsWay(std::string_view name, std::string_view summary, GuardKind guard) {
  const Operation short_work{.hold = 500ms};
  const Operation too_early{.think = 100ms, .hold = 1ms};
  const Operation in_turn{
      .ask = Ask::kWaitFor, .think = 10'000ms, .wait = 6'000ms, .hold = 1'900ms};
  const Operation long_after{.think = 80'000ms, .hold = 1ms};
  Workload workload = Clients({Does({short_work}), Does({too_early, in_turn, long_after})});
  workload.guard = guard;
  Scenario scenario = Row(name, summary);
  Pin(scenario, AtAnyStep(workload, {.kind = sim::FaultKind::kDelayRequest, .length = 90'000ms}));
  scenario.judges = ExclusionsAnd({Judged::kFencedWrites, Judged::kKeys});
  return scenario;
}

Scenario K3() {
  Scenario scenario = WriteOnItsWay("kleppmann.k3", "the network holds one write back for 90 s",
                                    GuardKind::kUnfenced);
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kFencedWrites}};
  return scenario;
}

Scenario K3Fenced() {
  return WriteOnItsWay("kleppmann.k3f", "as k3, and the storage refuses an old fencing token",
                       GuardKind::kFenced);
}

/// K8: tokens must grow from grant to grant; random values are unique, and have no order.
Scenario K8() {
  const Operation work{.ask = Ask::kWaitFor, .think = 50ms, .wait = 30'000ms, .hold = 700ms};
  Scenario scenario = Row("kleppmann.k8", "tokens that are only unique, such as random values");
  Pin(scenario,
      std::vector<Workload>(8, Clients({Does({work, work, work}), Does({work, work, work})})));
  scenario.judges = {Judged::kTokens, Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kKeys};
  return scenario;
}

/// K9: the counter of the tokens is lost with its server's data, and numbers that a storage has
/// seen are given out anew. Tokens that follow the server's clock go on growing.
Scenario K9() {
  const Operation work{.hold = 2'000ms};
  const Operation later{.ask = Ask::kWaitFor, .think = 5'000ms, .wait = 20'000ms, .hold = 1'000ms};
  Workload workload = Clients({Does({later}), Does({work}), Does({work, later})});
  Scenario scenario = Row("kleppmann.k9", "the server that counts the tokens loses its data");
  Pin(scenario, AtAnyStep(workload, {.kind = sim::FaultKind::kServerPowerLoss, .length = 100ms}));
  scenario.gives_up.writes = true;
  scenario.judges = {Judged::kTokens, Judged::kKeys};
  return scenario;
}

/// K10: the one server loses power and comes back empty, while C1 holds; C2 is granted the lock.
/// Tolerable where the lock saves work, and nothing else: every lock on one server shows it.
Scenario K10() {
  const Operation whole_lease{.hold = kLease};
  const Operation second{.ask = Ask::kWaitFor, .think = 5'000ms, .wait = 15'000ms, .hold = 8'000ms};
  Scenario scenario = Row("kleppmann.k10", "an efficiency lock's only server loses power");
  Pin(scenario, AtAnyStep(Clients({Does({second}), Does({whole_lease})}),
                          {.kind = sim::FaultKind::kServerPowerLoss, .length = 100ms}));
  scenario.gives_up.writes = true;
  scenario.judges = {Judged::kServerExclusion, Judged::kKeys};
  scenario.weaknesses = InEveryClass({Judged::kServerExclusion});
  return scenario;
}

}  // namespace

std::vector<Scenario> KleppmannRows() {
  return Together(K1(), K1Fenced(), K2(), K3(), K3Fenced(), K8(), K9(), K10());
}

}  // namespace interlock::scenarios::catalogue
