// SPDX-License-Identifier: MIT
//
// Every scenario, in the order in which the gate runs them.
#include "scenarios/cases/scenario.h"

#include <iterator>
#include <utility>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios {
namespace {

using sim::FaultKind;

// No globals, because a user's tests may ask for the catalogue before main.
const std::vector<Judged>& ThreeLevels() {
  static const std::vector<Judged> kThreeLevels = {
      Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion};
  return kThreeLevels;
}

std::vector<Judged> ThreeLevelsAnd(std::initializer_list<Judged> others) {
  std::vector<Judged> all = ThreeLevels();
  all.insert(all.end(), others);
  return all;
}

const std::vector<FaultKind>& ConnectionFaults() {
  static const std::vector<FaultKind> kConnectionFaults = {
      FaultKind::kLostRequest, FaultKind::kLostReply,    FaultKind::kResetBefore,
      FaultKind::kResetAfter,  FaultKind::kDelayRequest, FaultKind::kDelayReply,
      FaultKind::kHalfOpen};
  return kConnectionFaults;
}

std::vector<FaultKind> ConnectionFaultsAnd(std::initializer_list<FaultKind> others) {
  std::vector<FaultKind> all = ConnectionFaults();
  all.insert(all.end(), others);
  return all;
}

Scenario Contention() {
  Scenario scenario;
  scenario.name = "contention";
  scenario.summary = "clients compete; nothing goes wrong";
  scenario.classes = {SynchronyClass::kNone};
  scenario.judges = ThreeLevelsAnd({Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                    Judged::kKeys, Judged::kTermination});
  scenario.on_real_redis = true;
  return scenario;
}

Scenario Overstay() {
  Scenario scenario;
  scenario.name = "overstay";
  scenario.summary = "clients come back to extend or release when their lease is long over";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = ThreeLevelsAnd({Judged::kForeignRelease, Judged::kForeignExtend,
                                    Judged::kTokens, Judged::kSpuriousRefusal, Judged::kKeys});
  return scenario;
}

Scenario Crash() {
  Scenario scenario;
  scenario.name = "crash";
  scenario.summary = "clients die at any step and never come back";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.faults = {FaultKind::kCrash};
  scenario.judges = ThreeLevelsAnd({Judged::kTokens, Judged::kCrashRecovery, Judged::kDeadlock,
                                    Judged::kSpuriousRefusal, Judged::kKeys, Judged::kTermination});
  scenario.on_real_redis = true;
  return scenario;
}

Scenario Lossy() {
  Scenario scenario;
  scenario.name = "lossy";
  scenario.summary = "requests and replies are lost, connections break or go silent";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.faults = ConnectionFaults();
  scenario.judges = ThreeLevelsAnd({Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                    Judged::kKeys, Judged::kTermination});
  return scenario;
}

Scenario Pause() {
  Scenario scenario;
  scenario.name = "pause";
  scenario.summary = "clients stand still at any step, often until their lease has just run out";
  scenario.classes = {SynchronyClass::kBounded, SynchronyClass::kArbitrary};
  scenario.shape.faults = {FaultKind::kPause, FaultKind::kExpiry};
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = ThreeLevelsAnd({Judged::kForeignRelease, Judged::kForeignExtend,
                                    Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                    Judged::kKeys, Judged::kFalseValidity});
  return scenario;
}

Scenario Chaos() {
  Scenario scenario;
  scenario.name = "chaos";
  scenario.summary =
      "every fault of clients, links and client clocks, several at a time; several resources";
  scenario.classes = {SynchronyClass::kBounded, SynchronyClass::kArbitrary};
  scenario.shape.faults = ConnectionFaultsAnd(
      {FaultKind::kCrash, FaultKind::kRestart, FaultKind::kPause, FaultKind::kPauseClockFrozen,
       FaultKind::kExpiry, FaultKind::kPartition, FaultKind::kPartitionToServer,
       FaultKind::kPartitionFromServer, FaultKind::kLostPush, FaultKind::kClientClockJump,
       FaultKind::kClientClockRate});
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.shape.max_rate_ppm = kMostDrift.count();
  scenario.shape.max_resources = kMostResources;
  scenario.judges =
      ThreeLevelsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                      Judged::kCrashRecovery, Judged::kDeadlock, Judged::kSpuriousRefusal,
                      Judged::kKeys, Judged::kFalseValidity, Judged::kTermination});
  return scenario;
}

Scenario Permits() {
  Scenario scenario = Chaos();
  scenario.name = "permits";
  scenario.summary = "several permits of one semaphore, under every fault";
  scenario.shape.min_permits = 2;
  scenario.shape.max_permits = 3;
  scenario.shape.max_resources = 1;
  scenario.semaphores_only = true;
  return scenario;
}

Scenario Guarded() {
  Scenario scenario;
  scenario.name = "guarded";
  scenario.summary = "holders write to a storage that refuses old tokens; pauses, writes held back";
  scenario.classes = {SynchronyClass::kBounded, SynchronyClass::kArbitrary};
  scenario.shape.faults = {FaultKind::kPause, FaultKind::kExpiry, FaultKind::kDelayRequest,
                           FaultKind::kPartitionToServer};
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.shape.guard = GuardKind::kFenced;
  scenario.judges = ThreeLevelsAnd({Judged::kFencedWrites, Judged::kTokens, Judged::kKeys});
  return scenario;
}

/// The test program of the LockService that the first specimens come from: nine clients try once
/// each for a lock of 20 s; the winner works for 25 s.
Scenario Seed002() {
  Scenario scenario;
  scenario.name = "seed-002";
  scenario.summary = "nine clients try once; the winner works 25 s under a lease of 20 s";
  scenario.classes = {SynchronyClass::kNone};
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kKeys};
  scenario.key_prefix = "REDIS_LOCK_";
  scenario.resource = "20171228";
  scenario.database = 15;
  scenario.on_real_redis = true;
  Workload workload;
  workload.lease = std::chrono::seconds(20);
  workload.latency_max = std::chrono::milliseconds(1);
  for (int i = 0; i < 9; ++i) {
    ClientPlan client;
    Operation operation;
    operation.ask = Ask::kTry;
    operation.hold = std::chrono::seconds(25);
    // Its validity ends at 99 % of the lease; it comes back when its 25 s of work are done.
    operation.overstay = std::chrono::milliseconds(5200);
    client.operations.push_back(operation);
    workload.clients.push_back(client);
  }
  scenario.pinned = {workload};
  scenario.gate_runs = 100;
  scenario.max_runs = 100;
  scenario.tells_story = true;
  return scenario;
}

}  // namespace

const std::vector<Scenario>& Catalogue() {
  // Never destroyed: a program that ends need not take thousands of workloads apart.
  static const auto& kCatalogue = *new const std::vector<Scenario>([] {
    std::vector<Scenario> all =
        catalogue::Together(Contention(), Overstay(), Crash(), Lossy(), Pause(), Chaos(), Permits(),
                            Guarded(), Seed002());
    for (const auto rows : {catalogue::Waiting, catalogue::HeldUp, catalogue::OneObject,
                            catalogue::Aftermath, catalogue::ClientFaults, catalogue::ServerFaults,
                            catalogue::KleppmannRows, catalogue::AntirezRows, catalogue::RedisRows,
                            catalogue::OtherRows, catalogue::RedlockRows}) {
      std::vector<Scenario> some = rows();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    std::vector<Scenario> over_masters = catalogue::OverMasters(all);
    std::move(over_masters.begin(), over_masters.end(), std::back_inserter(all));
    std::vector<Scenario> over_cluster = catalogue::OverCluster();
    std::move(over_cluster.begin(), over_cluster.end(), std::back_inserter(all));
    return all;
  }());
  return kCatalogue;
}

}  // namespace interlock::scenarios
