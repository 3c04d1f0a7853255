// SPDX-License-Identifier: MIT
//
// Slots that move at once, from node to node.
#include <utility>

#include "sim/redis/cluster_bus.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

// One stage of each export, and of the import that belongs to it.
void ClusterBus::MigrateSlots(NodeId node) {
  const Cluster& cluster = topology_.engine(node).cluster;
  SlotMigrations& exports = topology_.engine(node).cluster.migrations();
  for (SlotMigration& one : exports.all()) {
    if (!one.exports || one.IsOver()) continue;
    const NodeId other = cluster.FindNode(one.target).value_or(node);
    if (Hears(node, other)) exports.Advance(one, topology_.engine(other).cluster.migrations());
  }
}

// What was granted is claimed, whether or not the source can be reached.
void ClusterBus::ClaimSlots(NodeId node) {
  Cluster& cluster = topology_.engine(node).cluster;
  for (SlotMigration& one : cluster.migrations().all()) {
    if (one.exports || one.IsOver()) continue;
    const NodeId other = cluster.FindNode(one.source).value_or(node);
    if (Hears(node, other)) {
      const SlotMigration* theirs = topology_.engine(other).cluster.migrations().Find(one.name);
      if (theirs == nullptr || theirs->IsOver()) cluster.migrations().LoseTouch(one);
    }
    if (one.state != SlotMigration::State::kFailoverGranted) continue;
    ClusterView view = ViewOf(node);
    cluster.migrations().Claim(one, view);
    Install(node, std::move(view));
  }
}

}  // namespace interlock::sim::redis
