// SPDX-License-Identifier: MIT
//
// Slots that move at once, from node to node.
#include <string_view>
#include <utility>

#include "sim/redis/cluster_bus.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

using State = SlotMigration::State;

namespace {

constexpr std::string_view kLostSource =
    "Connection lost to source. Check CLUSTER GETSLOTMIGRATIONS on the source node for more "
    "information.";
constexpr std::string_view kLostTarget =
    "Connection lost to target. Check CLUSTER GETSLOTMIGRATIONS on the target node for more "
    "information.";
constexpr std::string_view kUnpaused =
    "Unpaused before migration completed (migration may have succeeded with lost writes)";

/// Whether all of its slots are the node's, as this view has it.
bool OwnsAll(const ClusterView& view, const SlotMigration& one, std::string_view node) {
  for (const SlotRange& range : one.ranges) {
    for (std::size_t slot = range.first; slot <= range.last; ++slot) {
      const std::int16_t owner = view.owner[slot];
      if (owner == kNoNode || view.nodes[static_cast<std::size_t>(owner)].id != node) return false;
    }
  }
  return true;
}

}  // namespace

// One stage of each export; those of the imports that belong to them, too.
void ClusterBus::MigrateSlots(NodeId node) {
  Engine& source = topology_.engine(node);
  SlotMigrations& exports = source.cluster.migrations();
  for (SlotMigration& one : exports.all()) {
    if (!one.exports || one.IsOver()) continue;
    const NodeId other = source.cluster.FindNode(one.target).value_or(node);
    if (one.state == State::kFailoverGranted) {
      if (source.now_ms() >= one.pause_ends_ms) exports.End(one, State::kFailed, kUnpaused);
      continue;
    }
    if (!Hears(node, other)) continue;
    SlotMigrations& imports = topology_.engine(other).cluster.migrations();
    SlotMigration* const theirs = imports.FindRunning(one.name);
    if (one.state == State::kConnecting) {
      imports.Import(one);
      exports.Enter(one, State::kSnapshotting);
    } else if (theirs == nullptr) {
      exports.End(one, State::kFailed, kLostTarget);
    } else if (one.state == State::kSnapshotting) {
      exports.Enter(one, State::kWaitingToPause);
      imports.Enter(*theirs, State::kWaitingForPaused);
    } else {
      theirs->keys = exports.PauseAndCopy(one);
      imports.Enter(*theirs, State::kFailoverGranted);
    }
  }
  source.RunTimers();
}

// What was granted is claimed, whether or not the source can be reached.
void ClusterBus::ClaimSlots(NodeId node) {
  Engine& target = topology_.engine(node);
  SlotMigrations& imports = target.cluster.migrations();
  for (SlotMigration& one : imports.all()) {
    if (one.exports || one.IsOver()) continue;
    const NodeId other = target.cluster.FindNode(one.source).value_or(node);
    const bool gone = Hears(node, other) &&
                      topology_.engine(other).cluster.migrations().FindRunning(one.name) == nullptr;
    if (gone) imports.End(one, State::kFailed, kLostSource);
    if (one.state != State::kFailoverGranted) continue;
    ClusterView view = ViewOf(node);
    for (const SlotRange& range : one.ranges) {
      for (std::size_t slot = range.first; slot <= range.last; ++slot) {
        view.owner[slot] = static_cast<std::int16_t>(node);
      }
    }
    view.nodes[node].config_epoch = ++view.current_epoch;
    imports.TakeKeys(one);
    imports.End(one, State::kSuccess);
    Install(node, std::move(view));
  }
}

// Exports end when the target has claimed the slots, and keys in slots of others are deleted.
void ClusterBus::LoseSlots(NodeId node) {
  Engine& source = topology_.engine(node);
  SlotMigrations& exports = source.cluster.migrations();
  for (SlotMigration& one : exports.all()) {
    if (!one.exports || !OwnsAll(ViewOf(node), one, one.target)) continue;
    exports.DropKeys(one);
    if (!one.IsOver()) exports.End(one, State::kSuccess);
  }
  source.RunTimers();
}

}  // namespace interlock::sim::redis
