// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"
#include "scenarios/cases/kind_model.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;
using sim::Persistence;

std::vector<Judged> EveryLockProperty() {
  std::vector<Judged> all;
  for (const Judged property : kAllJudged) {
    // For a semaphore the exclusions become these.
    if (CounterpartOf(harness::Exclusive{}, property) == property) all.push_back(property);
  }
  return all;
}

/// What each cell of the table has in common: every property is judged, and holders write to a
/// storage that refuses old tokens.
void Add(Scenario cell, std::vector<Scenario>& all) {
  cell.fault_class = cell.name;
  cell.name = Kept(fmt::format("guarantee.{}.{}", cell.fault_class, ToString(cell.shape.topology)));
  cell.judges = EveryLockProperty();
  cell.shape.guard = GuardKind::kFenced;
  all.push_back(std::move(cell));
}

/// Faults of clients and links, which every topology meets.
std::vector<FaultCase> OfClientsAndLinks() {
  return {
      {"none", "nothing goes wrong", SynchronyClass::kNone, {}},
      {"client-crash", "clients die at any step", SynchronyClass::kNone, {FaultKind::kCrash}},
      {"client-pause-bounded",
       "clients stand still, but wake before a validity ends that they rely on",
       SynchronyClass::kBounded,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"client-pause",
       "clients stand still for any time, anywhere",
       SynchronyClass::kArbitrary,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"link",
       "messages are lost or late, connections break or go silent",
       SynchronyClass::kArbitrary,
       {FaultKind::kLostRequest, FaultKind::kLostReply, FaultKind::kResetBefore,
        FaultKind::kResetAfter, FaultKind::kDelayRequest, FaultKind::kDelayReply,
        FaultKind::kHalfOpen}},
      {"client-restart",
       "clients die at any step, and come back with a new identity",
       SynchronyClass::kNone,
       {FaultKind::kRestart}},
      {"partition",
       "for a while nothing arrives at the server, at a client, or at both",
       SynchronyClass::kBounded,
       {FaultKind::kPartition, FaultKind::kPartitionToServer, FaultKind::kPartitionFromServer}},
      {"lost-push", "pub/sub messages are lost", SynchronyClass::kNone, {FaultKind::kLostPush}},
      {"client-clock",
       "clients' clocks jump, stand still, or run at up to half or double speed",
       SynchronyClass::kArbitrary,
       {FaultKind::kClientClockRate, FaultKind::kClientClockJump, FaultKind::kPauseClockFrozen},
       {.clocks = true}},
  };
}

/// With a file that is synced every second. In such a Valkey WAITAOF does not wait for that.
std::vector<Scenario> OfPowerLosses() {
  Scenario redis = ScenarioOf({"power-loss",
                               "the server's machine loses power, and with it the writes since the "
                               "last fsync (everysec)",
                               SynchronyClass::kNone,
                               {FaultKind::kServerPowerLoss},
                               {.writes = true},
                               {Persistence::kAofEverysec}});
  redis.servers = sim::redis::kAnyRedis;
  Scenario valkey = redis;
  valkey.name = "power-loss-valkey";
  valkey.summary = "the same of a Valkey, whose WAITAOF answers before that fsync";
  valkey.servers = sim::redis::kAnyValkey;
  return Together(std::move(redis), std::move(valkey));
}

}  // namespace

std::vector<Scenario> FaultClasses() {
  std::vector<Scenario> all;
  for (const FaultCase& one : OfClientsAndLinks()) {
    Scenario cell = ScenarioOf(one);
    Add(cell, all);
    OnReplicas(cell.shape);
    Add(cell, all);
    OnSentinel(cell.shape);
    Add(cell, all);
    OnIndependent(cell.shape, 3);
    Add(cell, all);
    OnShards(cell);
    Add(cell, all);
  }
  for (const FaultCase& one : ServerCases()) {
    Scenario cell = ScenarioOf(one);
    Add(cell, all);
    if (one.replicated) {
      OnSentinel(cell.shape);
    } else {
      OnIndependent(cell.shape, 3);
    }
    Add(cell, all);
  }
  for (Scenario& cell : OfPowerLosses()) Add(std::move(cell), all);
  for (Scenario& cell : ClusterCases()) Add(std::move(cell), all);
  return all;
}

}  // namespace interlock::scenarios::catalogue
