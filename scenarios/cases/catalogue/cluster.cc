// SPDX-License-Identifier: MIT
//
// A Redis Cluster, whose slots stay where they are: what is judged is whether all that a lock does
// for one resource can be done by one node.
#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {

std::vector<Scenario> OverCluster() {
  using sim::FaultKind;
  Scenario scenario =
      Named("cluster",
            "a Redis Cluster of three masters: CROSSSLOT and MOVED; clients die, connections break",
            {SynchronyClass::kNone});
  scenario.shape.topology = sim::Topology::kCluster;
  scenario.shape.nodes = 3;
  scenario.shape.faults = {FaultKind::kCrash, FaultKind::kResetBefore, FaultKind::kResetAfter};
  // Its slot is not the first node's, so who asks that one for everything is sent away.
  scenario.resource = "jobs:7";
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kCrashRecovery, Judged::kDeadlock,
                                   Judged::kSpuriousRefusal, Judged::kKeys, Judged::kTermination});
  scenario.asks_again = true;  // by then a broken connection excuses nobody
  return {scenario};
}

}  // namespace interlock::scenarios::catalogue
