// SPDX-License-Identifier: MIT
//
// A Redis Cluster, whose slots stay where they are: what is judged is whether all that a lock does
// for one resource can be done by one node.
#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {

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

std::vector<Scenario> OverCluster() {
  using sim::FaultKind;
  Scenario scenario =
      Named("cluster",
            "a Redis Cluster of three masters: CROSSSLOT and MOVED; clients die, connections break",
            {SynchronyClass::kNone});
  OnCluster(scenario);
  scenario.shape.faults = {FaultKind::kCrash, FaultKind::kResetBefore, FaultKind::kResetAfter};
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kCrashRecovery, Judged::kDeadlock,
                                   Judged::kSpuriousRefusal, Judged::kKeys, Judged::kTermination});
  scenario.asks_again = true;  // by then a broken connection excuses nobody
  return {scenario};
}

}  // namespace interlock::scenarios::catalogue
