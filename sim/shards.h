// SPDX-License-Identifier: MIT
//
// The slots of a simulated Redis Cluster: who serves which, what moves them, and what its nodes are
// told. Slots are spread evenly over the first masters. All nodes learn of a change at once: what
// they do while they disagree is not simulated.
//
// Internal to sim. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/time.h>

#include "sim/redis/cluster_view.h"
#include "sim/redis/slot_migrations.h"
#include "sim/redis/topology.h"

namespace interlock::sim {

class Shards {
 public:
  /// The nodes from `masters` on are replicas: of the first master, the second ...
  Shards(redis::Topology& topology, std::size_t masters);

  int masters() const { return static_cast<int>(masters_); }
  /// The node that has the key, or would; of a slot that is being moved it may be either.
  int OwnerOf(std::string_view key) const;
  /// Tells all that run, which then follow their masters.
  void TellAll();
  /// The node runs again.
  void OnStart(int node);

  // A master is replaced.
  /// The master of the node's shard: the node itself, or the one that it follows.
  int MasterOf(int node) const;
  /// A running replica of the master.
  std::optional<int> ReplicaOf(int master);
  /// The replica serves the slots of its master, which is to follow it.
  void Promote(int replica);

  // Slots are moved by keys, as CLUSTER SETSLOT and MIGRATE do.
  /// Executes a command at a node.
  using Execute = std::function<void(int node, const redis::Argv& argv)>;
  /// There are keys, all masters serve, and no slot is being moved.
  bool CanMove() const;
  /// Begins to move each slot that has keys to the next master, with half of its keys. REQUIRES:
  /// CanMove().
  void BeginMove(const Execute& execute);
  /// Moves the other keys, and gives the slots to their new masters. False: one of the nodes does
  /// not serve, or refuses a key.
  bool EndMove(const Execute& execute);

  // Slots are moved at once: the nodes themselves do it, see redis::SlotMigrations.
  /// All masters are told to give the slots that have keys to the next one (CLUSTER MIGRATESLOTS),
  /// which may claim them then. `late`: when writes wait no more. REQUIRES: as BeginMove.
  void BeginMigration(const Execute& execute, bool late);
  /// The next masters claim the slots with what they got; those of whom one node does not serve
  /// stay where they are. True: writes that were acknowledged since may be lost.
  bool EndMigration();

 private:
  struct Move {
    int from = 0;
    int to = 0;
  };

  static redis::NodeId Id(int node) { return static_cast<redis::NodeId>(node); }
  bool Serves(int node) const { return topology_.IsUp(Id(node)) && !topology_.IsPaused(Id(node)); }
  int NodeOf(const std::string& id) const;
  redis::SlotMigrations& MigrationsOf(int node) const;
  void Tell(int node);
  bool HasKey(int node, std::string_view key) const;
  std::map<std::size_t, std::vector<std::string>> KeysBySlot(int node) const;
  std::map<int, std::map<std::size_t, std::vector<std::string>>> KeysOfMasters() const;
  int NextMaster(int master) const;
  void ForEachRunning(const std::function<void(int node, redis::SlotMigration& one)>& act);
  void Give(std::size_t slot, const Move& move);
  void MoveKey(const Move& move, const std::string& key, const Execute& execute);

  redis::Topology& topology_;
  const std::size_t masters_;
  redis::ClusterView view_;            // what all nodes believe
  std::map<std::size_t, Move> moves_;  // by slot
  bool migrating_ = false;
};

}  // namespace interlock::sim
