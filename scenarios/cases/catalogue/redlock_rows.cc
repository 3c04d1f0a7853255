// SPDX-License-Identifier: MIT
//
// The classic cases about Redlock: five independent masters A to E, of which three make a quorum.
// From Kleppmann's and antirez's essays of 2016 and Redis' page on distributed locks.
#include <algorithm>
#include <iterator>
#include <utility>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;
using std::chrono::milliseconds;

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
  CutOff(workload.clients[0], {kD, kE}, milliseconds(1'000));
  // Its second step is the end of its thinking.
  workload.clients[1].faults.push_back({kind, 2, length, kC});
  return workload;
}

/// Each server keeps its promise by its own clock, so what is granted anew was over there. Nobody
/// tells C1.
Scenario K4() {
  Scenario scenario =
      Row("kleppmann.k4", "the clock of one of five masters jumps, and its key expires");
  OverMasters(scenario, std::vector<Workload>(
                            8, AtThatMoment(FaultKind::kServerClockJump, milliseconds(20'000))));
  scenario.gives_up.clocks = true;
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion};
  scenario.weaknesses = InEveryClass({Judged::kBeliefExclusion, Judged::kSectionExclusion});
  return scenario;
}

/// K5, D6: C has forgotten its vote, by power loss or by a crash.
Scenario Forgets(std::string_view name, std::string_view summary, FaultKind kind) {
  Scenario scenario = Row(name, summary);
  OverMasters(scenario, std::vector<Workload>(8, AtThatMoment(kind, milliseconds(100))));
  scenario.gives_up.writes = true;
  scenario.judges = Exclusions();
  scenario.weaknesses =
      InEveryClass({Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion});
  return scenario;
}

/// What antirez answers: C syncs every write, or stays away until the last lease is over.
Scenario K5Safe() {
  std::vector<Workload> both;
  for (const bool syncs : {true, false}) {
    Workload workload = AtThatMoment(FaultKind::kServerPowerLoss,
                                     syncs ? Duration(milliseconds(100)) : kLease + kLease / 5);
    workload.persistence = syncs ? sim::Persistence::kAofAlways : sim::Persistence::kNone;
    // It comes when all is over: nothing ends, and so heals, before the late restart.
    workload.clients.push_back(Does({{.think = milliseconds(50'000), .hold = milliseconds(1)}}));
    both.insert(both.end(), 4, workload);
  }
  Scenario scenario =
      Row("kleppmann.k5s", "as k5, and the master syncs every write, or restarts late");
  OverMasters(scenario, std::move(both));
  scenario.judges = Exclusions();
  return scenario;
}

/// The faults strike the first client, at each step in turn.
std::vector<Workload> AtEachStep(const std::vector<PlannedFault>& faults,
                                 const Workload& workload) {
  std::vector<Workload> sweep(kStepsOfAll, workload);
  for (int step = 0; step < kStepsOfAll; ++step) {
    for (PlannedFault fault : faults) {
      fault.step = step;
      sweep[static_cast<std::size_t>(step)].clients.front().faults.push_back(fault);
    }
  }
  return sweep;
}

/// K6: the replies wait in C1's socket buffer while it is paused. It must find out that they are
/// too old.
Scenario K6() {
  Scenario scenario = Row("kleppmann.k6", "all replies of five masters are read after a pause");
  OverMasters(scenario, AtEachStep({{.kind = FaultKind::kPause, .length = milliseconds(15'000)}},
                                   AsksBeforeAnother()));
  scenario.judges = Exclusions();
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
    faults.push_back({FaultKind::kPartitionFromServer, 0, milliseconds(15'000), node});
  }
  Scenario scenario = Row("kleppmann.k7", "all replies of five masters are delayed past the lease");
  OverMasters(scenario, AtEachStep(faults, AsksBeforeAnother()));
  scenario.judges = Exclusions();
  return scenario;
}

/// K9b: one client reaches only A and keeps asking in vain; then one has the votes of A, B and C,
/// and then another one those of C, D and E.
Scenario K9b() {
  const Operation in_vain{.think = milliseconds(500), .hold = milliseconds(1)};
  const Operation first{.think = milliseconds(8'000), .hold = milliseconds(500)};
  const Operation then{.think = milliseconds(12'000), .hold = milliseconds(500)};
  Workload workload =
      Clients({Does(std::vector<Operation>(6, in_vain)), Does({first}), Does({then})});
  CutOff(workload.clients[0], {kB, kC, kD, kE}, milliseconds(30'000));
  CutOff(workload.clients[1], {kD, kE}, milliseconds(30'000));
  CutOff(workload.clients[2], {kA, kB}, milliseconds(30'000));
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
  const Operation ask{.ask = Ask::kWaitFor, .wait = milliseconds(60'000), .hold = milliseconds(20)};
  return Clients({Does({ask}), Does({ask}), Does({ask})});
}

/// Later two meet once more, and one of them asks in vain.
Scenario D3() {
  Workload workload = AllAtOnce();
  workload.clients[0].operations.push_back(
      {.ask = Ask::kWaitFor, .think = milliseconds(100'000), .wait = kLease, .hold = kLease / 2});
  workload.clients[1].operations.push_back({.ask = Ask::kWaitFor,
                                            .think = milliseconds(102'000),
                                            .wait = milliseconds(100),
                                            .hold = milliseconds(20)});
  Scenario scenario = Row("redis.d3", "three clients split the votes of five masters");
  // In one of thirty runs clients that retry in step split the votes again and again.
  OverMasters(scenario, std::vector<Workload>(256, workload));
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kDeadlock,        Judged::kTermination,     Judged::kKeys};
  return scenario;
}

/// D4, and D4': a loser is cut off from some masters before it can unlock there, which is
/// tolerated: they keep its votes for the rest of the lease.
Scenario D4() {
  Workload try_once = AllAtOnce();
  for (ClientPlan& client : try_once.clients) {
    client.operations.front().ask = Ask::kTry;
    client.operations.push_back({.ask = Ask::kWaitFor,
                                 .think = milliseconds(50),
                                 .wait = milliseconds(30'000),
                                 .hold = milliseconds(20)});
  }
  std::vector<Workload> workloads(16, try_once);
  for (int step = 8; step < kStepsOfAll; step += 4) {
    workloads.push_back(try_once);
    for (const int node : {kA, kB}) {
      workloads.back().clients[0].faults.push_back(
          {FaultKind::kPartitionToServer, step, milliseconds(5'000), node});
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
  const Operation work{.hold = milliseconds(500)};
  const Operation second{.ask = Ask::kWaitFor,
                         .think = milliseconds(100),
                         .wait = milliseconds(20'000),
                         .hold = milliseconds(500)};
  Scenario scenario = Row("redis.d7", "unlock goes to the masters whose grant seemed to fail, too");
  OverMasters(scenario, AtEachStep({{.kind = FaultKind::kLostReply}},
                                   Clients({Does({work}), Does({second})})));
  scenario.judges = Exclusions();
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
