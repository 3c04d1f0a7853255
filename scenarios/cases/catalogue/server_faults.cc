// SPDX-License-Identifier: MIT
#include "scenarios/cases/catalogue/server_faults.h"

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;
using sim::Persistence;

constexpr GivesUp kNothing{};
constexpr GivesUp kWrites{.clocks = false, .writes = true};
constexpr GivesUp kClocks{.clocks = true, .writes = false};

}  // namespace

const std::vector<FaultCase>& ServerCases() {
  // A function's own, because a user's tests may ask for the catalogue before main.
  static const std::vector<FaultCase> kCases = {
      {"server-restart",
       "the server dies or stands still, and forgets nothing that it has acknowledged",
       SynchronyClass::kBounded,
       {FaultKind::kServerKill, FaultKind::kServerPowerLoss, FaultKind::kServerPause},
       kNothing,
       {Persistence::kAofAlways}},
      {"data-loss",
       "the server restarts without some of its data, or keys are evicted or deleted",
       SynchronyClass::kNone,
       {FaultKind::kServerKill, FaultKind::kServerPowerLoss, FaultKind::kEvict,
        FaultKind::kFlushAll, FaultKind::kAdminDel},
       kWrites,
       {Persistence::kNone, Persistence::kRdb, Persistence::kAofEverysec}},
      {"failover",
       "a replica that may lack the last writes takes the primary's place",
       SynchronyClass::kNone,
       {FaultKind::kFailover, FaultKind::kReplicationStop, FaultKind::kServerKill,
        FaultKind::kServerPowerLoss},
       kWrites,
       {Persistence::kNone, Persistence::kAofAlways},
       true},
      {"split-brain",
       "for a while two servers take writes, and then one of them loses its own",
       SynchronyClass::kNone,
       {FaultKind::kSplitBrain, FaultKind::kReplicationStop, FaultKind::kClientKill},
       kWrites,
       {Persistence::kNone},
       true},
      {"server-clock",
       "the server's wall clock, by which leases end, is set, or runs at another rate",
       SynchronyClass::kNone,
       {FaultKind::kServerClockJump, FaultKind::kServerClockRate},
       kClocks},
      {"server-errors",
       "for a while the server answers errors, forgets scripts, or closes connections",
       SynchronyClass::kNone,
       {FaultKind::kLoading, FaultKind::kReadonly, FaultKind::kOom, FaultKind::kBusy,
        FaultKind::kMoved, FaultKind::kScriptFlush, FaultKind::kClientKill}},
  };
  return kCases;
}

Scenario ScenarioOf(const FaultCase& one) {
  Scenario scenario = Named(one.name, one.summary, {one.synchrony});
  scenario.gives_up = one.gives_up;
  WorkloadShape& shape = scenario.shape;
  shape.faults = one.faults;
  shape.overstay = true;
  shape.extend = true;
  shape.persistence = one.persistence;
  if (one.gives_up.clocks) FreeClocks(scenario);
  if (one.replicated) OnReplicas(shape);
  return scenario;
}

void OnReplicas(WorkloadShape& shape) {
  shape.topology = sim::Topology::kReplicated;
  shape.nodes = 3;
}

void OnSentinel(WorkloadShape& shape) {
  shape.topology = sim::Topology::kSentinel;
  shape.nodes = 3 + sim::kSentinelNodes;
}

void OnIndependent(WorkloadShape& shape, int nodes) {
  shape.topology = sim::Topology::kIndependent;
  shape.nodes = nodes;
}

std::vector<Scenario> ServerFaults() {
  std::vector<Scenario> all;
  for (const FaultCase& one : ServerCases()) {
    Scenario& scenario = all.emplace_back(ScenarioOf(one));
    scenario.judges =
        ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                       Judged::kDeadlock, Judged::kKeys, Judged::kTermination});
  }
  return all;
}

}  // namespace interlock::scenarios::catalogue
