// SPDX-License-Identifier: MIT
//
// Every scenario, in the order in which the gate runs them.
#include "scenarios/cases/scenario.h"

#include <initializer_list>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios {
namespace catalogue {
namespace {

using sim::FaultKind;
using namespace std::chrono_literals;

/// Those of a connection, and the others.
std::vector<FaultKind> ConnectionFaultsAnd(std::initializer_list<FaultKind> others) {
  std::vector<FaultKind> all = {FaultKind::kLostRequest,  FaultKind::kLostReply,
                                FaultKind::kResetBefore,  FaultKind::kResetAfter,
                                FaultKind::kDelayRequest, FaultKind::kDelayReply,
                                FaultKind::kHalfOpen};
  all.insert(all.end(), others);
  return all;
}

Scenario Contention() {
  Scenario scenario =
      Named("contention", "clients compete; nothing goes wrong", {SynchronyClass::kNone});
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                   Judged::kKeys, Judged::kTermination});
  scenario.on_real_redis = true;
  scenario.for_sampled = true;
  return scenario;
}

Scenario Overstay() {
  Scenario scenario =
      Named("overstay", "clients come back to extend or release when their lease is long over",
            {SynchronyClass::kNone});
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                                   Judged::kSpuriousRefusal, Judged::kKeys});
  return scenario;
}

Scenario Crash() {
  Scenario scenario =
      Named("crash", "clients die at any step and never come back", {SynchronyClass::kNone});
  scenario.shape.faults = {FaultKind::kCrash};
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kCrashRecovery, Judged::kDeadlock,
                                   Judged::kSpuriousRefusal, Judged::kKeys, Judged::kTermination});
  scenario.on_real_redis = true;
  return scenario;
}

Scenario Lossy() {
  Scenario scenario =
      Named("lossy", "requests and replies are lost, connections break or go silent",
            {SynchronyClass::kNone});
  scenario.shape.faults = ConnectionFaultsAnd({});
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                   Judged::kKeys, Judged::kTermination});
  scenario.for_sampled = true;
  return scenario;
}

Scenario Pause() {
  Scenario scenario =
      Named("pause", "clients stand still at any step, often until their lease has just run out",
            {SynchronyClass::kBounded, SynchronyClass::kArbitrary});
  scenario.shape.faults = {FaultKind::kPause, FaultKind::kExpiry};
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                                   Judged::kDeadlock, Judged::kSpuriousRefusal, Judged::kKeys,
                                   Judged::kFalseValidity});
  return scenario;
}

Scenario Chaos() {
  Scenario scenario =
      Named("chaos",
            "every fault of clients, links and client clocks, several at a time; several resources",
            {SynchronyClass::kBounded, SynchronyClass::kArbitrary});
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
      ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                     Judged::kCrashRecovery, Judged::kDeadlock, Judged::kSpuriousRefusal,
                     Judged::kKeys, Judged::kFalseValidity, Judged::kTermination});
  scenario.for_sampled = true;
  return scenario;
}

Scenario Permits() {
  Scenario scenario = Chaos();
  scenario.name = "permits";
  scenario.summary = "several permits of one semaphore, under every fault";
  scenario.shape.max_resources = 1;
  GivePermits(scenario);
  return scenario;
}

Scenario Guarded() {
  Scenario scenario = Named(
      "guarded", "holders write to a storage that refuses old tokens; pauses, writes held back",
      {SynchronyClass::kBounded, SynchronyClass::kArbitrary});
  scenario.shape.faults = {FaultKind::kPause, FaultKind::kExpiry, FaultKind::kDelayRequest,
                           FaultKind::kPartitionToServer};
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.shape.guard = GuardKind::kFenced;
  scenario.judges = ExclusionsAnd({Judged::kFencedWrites, Judged::kTokens, Judged::kKeys});
  return scenario;
}

/// The test program of the LockService that the first specimens come from: nine clients try once
/// each for a lock of 20 s; the winner works for 25 s.
Scenario Seed002() {
  Scenario scenario =
      Named("seed-002", "nine clients try once; the winner works 25 s under a lease of 20 s",
            {SynchronyClass::kNone});
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kKeys};
  scenario.key_prefix = "REDIS_LOCK_";
  scenario.resource = "20171228";
  scenario.database = 15;
  scenario.on_real_redis = true;
  // Its validity ends at 99 % of the lease; it comes back when its 25 s of work are done.
  const Operation works_on{.hold = 25s, .overstay = 5200ms};
  Workload workload = Clients(std::vector<ClientPlan>(9, Does({works_on})));
  workload.lease = 20s;
  workload.latency_max = 1ms;
  scenario.pinned = {workload};
  scenario.gate_runs = 100;
  scenario.max_runs = 100;
  scenario.tells_story = true;
  return scenario;
}

std::vector<Scenario> All() {
  std::vector<Scenario> all = Together(Contention(), Overstay(), Crash(), Lossy(), Pause(), Chaos(),
                                       Permits(), Guarded(), Seed002());
  for (const auto rows : {Waiting, HeldUp, OneObject, Aftermath, ClientFaults, ServerFaults,
                          KleppmannRows, AntirezRows, RedisRows, OtherRows, RedlockRows}) {
    Append(rows(), all);
  }
  Append(OverMasters(all), all);
  Append(OverCluster(), all);
  return all;
}

}  // namespace
}  // namespace catalogue

const std::vector<Scenario>& Catalogue() {
  // Never destroyed: a program that ends need not take thousands of workloads apart.
  static const auto& kCatalogue = *new const std::vector<Scenario>(catalogue::All());
  return kCatalogue;
}

}  // namespace interlock::scenarios
