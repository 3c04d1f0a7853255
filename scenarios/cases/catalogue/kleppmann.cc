// SPDX-License-Identifier: MIT
//
// M. Kleppmann, "How to do distributed locking", 2016-02-08.
#include <string_view>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using std::chrono::milliseconds;

/// C1 takes the lock, and writes when it has worked for nearly as long as the lease lasts; C2 asks
/// at once, is refused, and gets it at 10,100 ms, when C1's lease is over.
Workload HolderAndSuccessor(const Operation& work, GuardKind guard) {
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation in_turn{.ask = Ask::kWaitFor,
                          .think = milliseconds(10'000),
                          .wait = milliseconds(6'000),
                          .hold = milliseconds(8'000)};
  Workload workload = Clients({Does({work}), Does({too_early, in_turn})});
  workload.guard = guard;
  return workload;
}

/// What a case of writes judges, and that nothing keeps sections apart in the highest class.
void JudgeWritesToo(Scenario& scenario) {
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kFencedWrites, Judged::kKeys};
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
}

/// K1: the pause from 20 to 15,000 ms outlasts the lease, so C1 wakes inside its section while C2
/// works, and writes v0+a without another look at its lease. No lock service prevents it.
Scenario K1() {
  Scenario scenario = Row("kleppmann.k1", "a holder is paused past its lease, and writes");
  const Operation work{.hold = milliseconds(9'000), .heedless = true};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kUnfenced),
                          {.kind = sim::FaultKind::kPause, .length = milliseconds(14'980)}));
  JudgeWritesToo(scenario);
  scenario.weaknesses.push_back({SynchronyClass::kArbitrary, Judged::kFencedWrites});
  scenario.tells_losses = true;
  return scenario;
}

/// The cure that he proposes: the storage has seen 34, and refuses the write with 33.
Scenario K1Fenced() {
  Scenario scenario = Row("kleppmann.k1f", "as k1, and the storage refuses an old fencing token");
  // A stale holder may try to extend before it writes: no lock may give it a new token then.
  const Operation work{.hold = milliseconds(9'000), .extend = true, .heedless = true};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kFenced),
                          {.kind = sim::FaultKind::kPause, .length = milliseconds(14'980)}));
  JudgeWritesToo(scenario);
  scenario.tells_losses = true;
  return scenario;
}

/// K2: a look at the TTL right before the write does not help: at 9,880 ms some 10 ms are left, and
/// the pause comes after the look. The storage is fenced here: what is left is the section.
Scenario K2() {
  Scenario scenario = Row("kleppmann.k2", "the pause comes after the holder's look at its TTL");
  const Operation work{.hold = milliseconds(9'880)};
  Pin(scenario, AtAnyStep(HolderAndSuccessor(work, GuardKind::kFenced),
                          {.kind = sim::FaultKind::kPause, .length = milliseconds(5'110)}));
  JudgeWritesToo(scenario);
  return scenario;
}

/// K3: C1 writes at 500 ms and stops in time, but the network keeps that write for 90 s; C2 writes
/// at 12,000 ms, and at 90,500 ms C1's write lands. Lock and clients are correct.
Scenario WriteOnItsWay(std::string_view name, std::string_view summary, GuardKind guard) {
  const Operation short_work{.hold = milliseconds(500)};
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation in_turn{.ask = Ask::kWaitFor,
                          .think = milliseconds(10'000),
                          .wait = milliseconds(6'000),
                          .hold = milliseconds(1'900)};
  const Operation long_after{.think = milliseconds(80'000), .hold = milliseconds(1)};
  Workload workload = Clients({Does({short_work}), Does({too_early, in_turn, long_after})});
  workload.guard = guard;
  Scenario scenario = Row(name, summary);
  Pin(scenario,
      AtAnyStep(workload, {.kind = sim::FaultKind::kDelayRequest, .length = milliseconds(90'000)}));
  JudgeWritesToo(scenario);
  scenario.weaknesses.clear();
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

/// K9: the counter of the tokens is lost with its server's data, and numbers that a storage has
/// seen are given out anew. Tokens that follow the server's clock go on growing.
Scenario K9() {
  const Operation work{.hold = milliseconds(2'000)};
  const Operation later{.ask = Ask::kWaitFor,
                        .think = milliseconds(5'000),
                        .wait = milliseconds(20'000),
                        .hold = milliseconds(1'000)};
  Workload workload = Clients({Does({later}), Does({work}), Does({work, later})});
  Scenario scenario = Row("kleppmann.k9", "the server that counts the tokens loses its data");
  Pin(scenario,
      AtAnyStep(workload, {.kind = sim::FaultKind::kServerPowerLoss, .length = milliseconds(100)}));
  scenario.gives_up.writes = true;
  scenario.judges = {Judged::kTokens, Judged::kKeys};
  return scenario;
}

/// K10: the one server loses power and comes back empty, while C1 holds; C2 is granted the lock.
/// Tolerable where the lock saves work, and nothing else: every lock on one server shows it.
Scenario K10() {
  const Operation whole_lease{.hold = kLease};
  const Operation second{.ask = Ask::kWaitFor,
                         .think = milliseconds(5'000),
                         .wait = milliseconds(15'000),
                         .hold = milliseconds(8'000)};
  Scenario scenario = Row("kleppmann.k10", "an efficiency lock's only server loses power");
  Pin(scenario, AtAnyStep(Clients({Does({second}), Does({whole_lease})}),
                          {.kind = sim::FaultKind::kServerPowerLoss, .length = milliseconds(100)}));
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
