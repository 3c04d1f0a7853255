// SPDX-License-Identifier: MIT
//
// Messages between the nodes of a Redis Cluster, ten times a second: which nodes are alive, and
// which node serves which slots since when. A master unheard by a majority of masters for the node
// timeout has failed, and its most up-to-date replica takes its slots under a new epoch; a node
// that has lost the majority serves nothing; a returning master follows its successor.
//
// Migrations of whole slots (Valkey 9, see SlotMigrations) take a tick for each of their stages.
//
// Guarantee: between two nodes the higher epoch wins, as in Redis. Non-guarantee: elections are
// decided at once (no votes get lost), slots moved by SETSLOT NODE are known only where it was
// sent, and a migration whose other end is unheard waits for it. Thread safety: none. Units: us of
// topology time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/topology.h"

namespace interlock::sim::redis {

struct ClusterSpec {
  std::size_t masters = 3;
  std::size_t replicas = 1;                   ///< Of each master.
  std::int64_t node_timeout_us = 15'000'000;  ///< cluster-node-timeout
};

class ClusterBus {
 public:
  static constexpr std::int64_t kTickUs = 100'000;

  /// The masters come first, then the replicas of the first, of the second ...
  static TopologySpec Nodes(const ClusterSpec& spec);
  /// What every node believes at first, except its own identity: slots are spread evenly over the
  /// masters. REQUIRES: a topology made of Nodes(spec).
  static ClusterView FirstView(const Topology& topology, const ClusterSpec& spec);
  /// Gives every node its first view. REQUIRES: a topology made of Nodes(spec), which outlives
  /// this.
  ClusterBus(Topology& topology, const ClusterSpec& spec);

  /// The bus's own next tick, apart from the topology's timers.
  std::int64_t NextTimerUs() const { return next_tick_us_; }
  void RunTimers();

 private:
  struct Peer {
    std::int64_t heard_us = 0;
  };
  struct Node {
    std::vector<Peer> peers;
    std::int64_t minority_us = -1;         // When it last saw no majority; -1: never.
    std::optional<std::int64_t> elect_us;  // When a failed master's replica starts an election.
    bool failover_asked = false;
  };

  const ClusterView& ViewOf(NodeId node) { return *topology_.server(node).cluster_view(); }
  bool Runs(NodeId node) const { return topology_.IsUp(node) && !topology_.IsPaused(node); }
  bool Hears(NodeId node, NodeId peer);
  bool Misses(NodeId node, NodeId peer) const;
  static std::vector<NodeId> MastersIn(const ClusterView& view);
  void Tick();
  void Listen(NodeId node);
  void Learn(NodeId node, NodeId peer, ClusterView* view);
  void Judge(NodeId node, ClusterView* view);
  void ConsiderElection(NodeId node);
  std::size_t RankOf(NodeId replica, const ClusterView& view);
  void Promote(NodeId replica);
  void MigrateSlots(NodeId node);
  void ClaimSlots(NodeId node);
  void Install(NodeId node, ClusterView view);

  Topology& topology_;
  ClusterSpec spec_;
  std::vector<Node> nodes_;
  std::int64_t now_us_ = 0;
  std::int64_t next_tick_us_ = kTickUs;
};

}  // namespace interlock::sim::redis
