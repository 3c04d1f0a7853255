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
#include "sim/redis/database.h"
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
  bool moving() const { return !moves_.empty() || !migrations_.empty(); }
  /// There are keys, and all masters serve.
  bool CanMove() const;
  /// Begins to move each slot that has keys to the next master, with half of its keys. REQUIRES:
  /// nothing is being moved, and something can be.
  void BeginMove(const Execute& execute);
  /// Moves the other keys, and gives the slots to their new masters. False: one of the nodes does
  /// not serve, or refuses a key.
  bool EndMove(const Execute& execute);

  // Slots are moved at once, as CLUSTER MIGRATESLOTS does in Valkey 9.
  /// The next master gets what each slot with keys has now. REQUIRES: as BeginMove.
  void BeginMigration();
  /// All writes to the present masters of these slots wait.
  void PauseWrites(const Execute& execute, Duration length);
  /// The next masters claim the slots with what they got; what was written since is lost. False: a
  /// node did not serve, so that all stay where they are.
  bool EndMigration();
  /// What has waited is served, or sent away.
  void EndPauses(const Execute& execute);

 private:
  struct Move {
    int from = 0;
    int to = 0;
  };
  struct Migration {
    Move move;
    std::vector<std::pair<std::string, redis::Entry>> keys;
  };

  static redis::NodeId Id(int node) { return static_cast<redis::NodeId>(node); }
  bool Serves(int node) const { return topology_.IsUp(Id(node)) && !topology_.IsPaused(Id(node)); }
  void Tell(int node);
  bool HasKey(int node, std::string_view key) const;
  std::map<std::size_t, std::vector<std::string>> KeysBySlot(int node) const;
  std::map<int, std::map<std::size_t, std::vector<std::string>>> KeysOfMasters() const;
  int NextMaster(int master) const;
  void Give(std::size_t slot, const Move& move);
  void Take(const Migration& migration);
  void MoveKey(const Move& move, const std::string& key, const Execute& execute);

  redis::Topology& topology_;
  const std::size_t masters_;
  redis::ClusterView view_;            // what all nodes believe
  std::map<std::size_t, Move> moves_;  // by slot
  std::map<std::size_t, Migration> migrations_;
  std::vector<int> paused_;  // for them
};

}  // namespace interlock::sim
