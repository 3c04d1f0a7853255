// SPDX-License-Identifier: MIT
//
// The classic cases about Redlock: five independent masters A to E, of which three make a quorum.
// From Kleppmann's and antirez's essays of 2016 and Redis' page on distributed locks.
#include <utility>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;
using namespace std::chrono_literals;

constexpr int kMasters = 5;
constexpr int kA = 0;
constexpr int kB = 1;
constexpr int kC = 2;
constexpr int kD = 3;
constexpr int kE = 4;

/// The steps that a quorum lock takes until it has released.
constexpr int kStepsOfAll = 128;

void OverMasters(Scenario& scenario, std::vector<Workload> workloads) {
  OnIndependent(scenario.shape, kMasters);
  for (Workload& workload : workloads) {
    workload.topology = sim::Topology::kIndependent;
    workload.nodes = kMasters;
  }
  Pin(scenario, std::move(workloads));
}

/// Nothing gets through between the client and these masters.
void CutOff(ClientPlan& client, std::initializer_list<int> nodes, Duration length) {
  for (const int node : nodes) client.faults.push_back({FaultKind::kPartition, 0, length, node});
}

/// C1 has the votes of A, B and C, for D and E do not hear it. Something befalls C when C2 is about
/// to ask: C2 then has the votes of C, D and E while C1 holds.
Workload AtThatMoment(FaultKind kind, Duration length) {
  Workload workload = WholeLeaseAndSecond();
  CutOff(workload.clients[0], {kD, kE}, 1'000ms);
  // Its second step is the end of its thinking.
  workload.clients[1].faults.push_back({kind, 2, length, kC});
  return workload;
}

/// Each server keeps its promise by its own clock, so what is granted anew was over there. Nobody
/// tells C1.
Scenario K4() {
  Scenario scenario =
      Row("kleppmann.k4", "the clock of one of five masters jumps, and its key expires");
  OverMasters(scenario,
              std::vector<Workload>(8, AtThatMoment(FaultKind::kServerClockJump, 20'000ms)));
  scenario.gives_up.clocks = true;
  scenario.judges = ExclusionsAnd({});
  scenario.weaknesses = InEveryClass({Judged::kBeliefExclusion, Judged::kSectionExclusion});
  return scenario;
}

/// K5, D6: C has forgotten its vote, by power loss or by a crash.
Scenario Forgets(std::string_view name, std::string_view summary, FaultKind kind) {
  Scenario scenario = Row(name, summary);
  OverMasters(scenario, std::vector<Workload>(8, AtThatMoment(kind, 100ms)));
  scenario.gives_up.writes = true;
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  scenario.weaknesses = InEveryClass(ExclusionsAnd({}));
  return scenario;
}

/// What antirez answers: C syncs every write, or stays away until the last lease is over.
Scenario K5Safe() {
  std::vector<Workload> both;
  for (const bool syncs : {true, false}) {
    Workload workload =
        AtThatMoment(FaultKind::kServerPowerLoss, syncs ? Duration(100ms) : kLease + kLease / 5);
    workload.persistence = syncs ? sim::Persistence::kAofAlways : sim::Persistence::kNone;
    // It comes when all is over: nothing ends, and so heals, before the late restart.
    workload.clients.push_back(Does({{.think = 50'000ms, .hold = 1ms}}));
    both.insert(both.end(), 4, workload);
  }
  Scenario scenario =
      Row("kleppmann.k5s", "as k5, and the master syncs every write, or restarts late");
  OverMasters(scenario, std::move(both));
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  return scenario;
}

/// K6: the replies wait in C1's socket buffer while it is paused. It must find out that they are
/// too old.
Scenario K6() {
  Scenario scenario = Row("kleppmann.k6", "all replies of five masters are read after a pause");
  OverMasters(scenario, AtAnyStep(HolderAndSuccessor({.hold = 500ms}),
                                  {{.kind = FaultKind::kPause, .length = 15'000ms}}, kStepsOfAll));
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
  return scenario;
}

/// ... and it must unlock everywhere without touching C2's keys.
Scenario K6Unlocks() {
  Scenario scenario = K6();
  scenario.name = "kleppmann.k6u";
  scenario.summary = "as k6: what is granted too late is not believed, and only the own is undone";
  scenario.classes = {SynchronyClass::kArbitrary};
  scenario.judges = {Judged::kForeignRelease, Judged::kFalseValidity, Judged::kKeys};
  scenario.weaknesses.clear();
  return scenario;
}

/// K7: as k6 without a pause: the network keeps all that the masters say for 15 s.
Scenario K7() {
  std::vector<PlannedFault> faults;
  for (const int node : {kA, kB, kC, kD, kE}) {
    faults.push_back({FaultKind::kPartitionFromServer, 0, 15'000ms, node});
  }
  Scenario scenario = Row("kleppmann.k7", "all replies of five masters are delayed past the lease");
  OverMasters(scenario, AtAnyStep(HolderAndSuccessor({.hold = 500ms}), faults, kStepsOfAll));
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  return scenario;
}

/// K9b: one client reaches only A and keeps asking in vain; then one has the votes of A, B and C,
/// and then another one those of C, D and E.
Scenario K9b() {
  const Operation in_vain{.think = 500ms, .hold = 1ms};
  const Operation first{.think = 8'000ms, .hold = 500ms};
  const Operation then{.think = 12'000ms, .hold = 500ms};
  Workload workload =
      Clients({Does(std::vector<Operation>(6, in_vain)), Does({first}), Does({then})});
  CutOff(workload.clients[0], {kB, kC, kD, kE}, 30'000ms);
  CutOff(workload.clients[1], {kD, kE}, 30'000ms);
  CutOff(workload.clients[2], {kA, kB}, 30'000ms);
  Scenario scenario = Row("kleppmann.k9b", "counters on several masters drift apart");
  OverMasters(scenario, std::vector<Workload>(8, workload));
  scenario.judges = {Judged::kTokens, Judged::kKeys};
  return scenario;
}

/// A6: whatever delays what happens between the first request and the grant costs no safety. A
/// pause after the grant is another matter, and that of antirez.a1.
Scenario A6() {
  Scenario scenario =
      Row("antirez.a6", "all delays between reading the clock and using the lock vary");
  scenario.max_runs = kGateRuns;
  OnIndependent(scenario.shape, kMasters);
  scenario.shape.faults = {
      FaultKind::kDelayRequest, FaultKind::kDelayReply,        FaultKind::kPause,
      FaultKind::kExpiry,       FaultKind::kPartitionToServer, FaultKind::kPartitionFromServer,
      FaultKind::kServerPause};
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kFalseValidity,
                     Judged::kKeys};
  return scenario;
}

/// Three clients ask at one instant, and there are five votes: 2, 2 and 1.
Workload AllAtOnce() {
  const Operation ask{.ask = Ask::kWaitFor, .wait = 60'000ms, .hold = 20ms};
  return Clients({Does({ask}), Does({ask}), Does({ask})});
}

/// Later two meet once more, and one of them asks in vain.
Scenario D3() {
  Workload workload = AllAtOnce();
  workload.clients[0].operations.push_back(
      {.ask = Ask::kWaitFor, .think = 100'000ms, .wait = kLease, .hold = kLease / 2});
  workload.clients[1].operations.push_back(
      {.ask = Ask::kWaitFor, .think = 102'000ms, .wait = 100ms, .hold = 20ms});
  Scenario scenario = Row("redis.d3", "three clients split the votes of five masters");
  // In one of thirty runs clients that retry in step split the votes again and again.
  OverMasters(scenario, std::vector<Workload>(256, workload));
  scenario.judges = ExclusionsAnd({Judged::kDeadlock, Judged::kTermination, Judged::kKeys});
  return scenario;
}

/// D4, and D4': a loser is cut off from some masters before it can unlock there, which is
/// tolerated: they keep its votes for the rest of the lease.
Scenario D4() {
  Workload try_once = AllAtOnce();
  for (ClientPlan& client : try_once.clients) {
    client.operations.front().ask = Ask::kTry;
    client.operations.push_back(
        {.ask = Ask::kWaitFor, .think = 50ms, .wait = 30'000ms, .hold = 20ms});
  }
  std::vector<Workload> workloads(16, try_once);
  for (int step = 8; step < kStepsOfAll; step += 4) {
    workloads.push_back(try_once);
    for (const int node : {kA, kB}) {
      workloads.back().clients[0].faults.push_back(
          {FaultKind::kPartitionToServer, step, 5'000ms, node});
    }
  }
  Scenario scenario = Row("redis.d4", "the losers of a split vote unlock what they got");
  OverMasters(scenario, std::move(workloads));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kDeadlock,
                     Judged::kKeys};
  return scenario;
}

/// D7: a master has executed the lock, and its reply is lost. It must be unlocked all the same.
Scenario D7() {
  const Operation work{.hold = 500ms};
  const Operation second{.ask = Ask::kWaitFor, .think = 100ms, .wait = 20'000ms, .hold = 500ms};
  Scenario scenario = Row("redis.d7", "unlock goes to the masters whose grant seemed to fail, too");
  OverMasters(scenario, AtAnyStep(Clients({Does({work}), Does({second})}),
                                  {{.kind = FaultKind::kLostReply}}, kStepsOfAll));
  scenario.judges = ExclusionsAnd({Judged::kKeys});
  return scenario;
}

}  // namespace

std::vector<Scenario> RedlockRows() {
  return Together(
      K4(),
      Forgets("kleppmann.k5", "one of five masters loses power and has forgotten",
              FaultKind::kServerPowerLoss),
      K5Safe(), K6(), K6Unlocks(), K7(), K9b(), A6(), D3(), D4(),
      Forgets("redis.d6", "one of three granting masters restarts empty", FaultKind::kServerKill),
      D7());
}

}  // namespace interlock::scenarios::catalogue
