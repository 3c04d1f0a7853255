// SPDX-License-Identifier: MIT
//
// A Redis Cluster. Where its slots stay, what is judged is whether all that a lock does for one
// resource can be done by one node; where they move, whether it holds on to what it has.
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;

Scenario Unchanged() {
  Scenario scenario =
      Named("cluster",
            "a Redis Cluster of three masters: CROSSSLOT and MOVED; clients die, connections break",
            {SynchronyClass::kNone});
  OnCluster(scenario);
  scenario.shape.faults = {FaultKind::kCrash, FaultKind::kResetBefore, FaultKind::kResetAfter};
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kCrashRecovery, Judged::kDeadlock,
                                   Judged::kSpuriousRefusal, Judged::kKeys, Judged::kTermination});
  scenario.asks_again = true;  // by then a broken connection excuses nobody
  return scenario;
}

}  // namespace

void OnCluster(Scenario& scenario) {
  scenario.shape.topology = sim::Topology::kCluster;
  scenario.shape.nodes = 3;
  scenario.resource = "jobs:7";
}

void OnShards(Scenario& scenario) {
  OnCluster(scenario);
  scenario.shape.topology = sim::Topology::kShards;
  scenario.shape.nodes = 6;
}

std::vector<Scenario> ClusterCases() {
  Scenario reshard = ScenarioOf({"reshard",
                                 "slots move from master to master, key by key",
                                 SynchronyClass::kNone,
                                 {FaultKind::kReshard}});
  OnCluster(reshard);
  Scenario failover =
      ScenarioOf({"shard-failover",
                  "a replica that may lack the last writes takes the place of its shard's master",
                  SynchronyClass::kNone,
                  {FaultKind::kShardFailover},
                  {.writes = true}});
  OnShards(failover);
  Scenario migration = ScenarioOf({"slot-migration",
                                   "slots move at once; writes wait meanwhile (Valkey 9)",
                                   SynchronyClass::kNone,
                                   {FaultKind::kSlotMigration}});
  Scenario late = ScenarioOf({"late-claim",
                              "a slot is claimed so late that writes since the copy are lost",
                              SynchronyClass::kNone,
                              {FaultKind::kLateClaim},
                              {.writes = true}});
  for (Scenario* one : {&migration, &late}) {
    OnCluster(*one);
    one->servers = sim::redis::kValkeyFrom90;
  }
  return Together(std::move(reshard), std::move(failover), std::move(migration), std::move(late));
}

std::vector<Scenario> OverCluster() {
  std::vector<Scenario> all = {Unchanged()};
  for (Scenario& scenario : ClusterCases()) {
    scenario.name = Kept(fmt::format("cluster-{}", scenario.name));
    scenario.judges =
        ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                       Judged::kDeadlock, Judged::kKeys, Judged::kTermination});
    all.push_back(std::move(scenario));
  }
  return all;
}

}  // namespace interlock::scenarios::catalogue
