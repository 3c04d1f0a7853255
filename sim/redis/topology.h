// SPDX-License-Identifier: MIT
//
// Several servers and what runs between them: a standalone server, a master with replicas (and
// replicas of those), independent masters, Sentinels that watch them. Plain data says which
// (TopologySpec). Messages take the lag of their way and stay in order; a way that is cut keeps
// them. Nothing here is chosen at random: a scheduler may deliver messages one by one instead.
//
// What a killed process had already sent still arrives; what a machine that loses its power had
// sent does not. Thread safety: none. Units: us of topology time, which never runs backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/node_clock.h"
#include "sim/redis/node_id.h"
#include "sim/redis/replication.h"
#include "sim/redis/replication_links.h"
#include "sim/redis/replication_traffic.h"
#include "sim/redis/sentinel.h"
#include "sim/redis/server.h"
#include "sim/redis/state.h"

namespace interlock::sim::redis {

struct NodeSpec {
  MasterAddress address;
  std::optional<NodeId> replica_of;
  Server::ConfigurationFile configuration;
  const Dialect* dialect = &DefaultDialect();
};

struct TopologySpec {
  std::vector<NodeSpec> nodes;
  std::int64_t start_us = 0;      ///< Unix time on all clocks at topology time 0.
  std::int64_t lag_us = 0;        ///< One way, between any two nodes.
  std::int64_t full_sync_us = 0;  ///< How long all data is on its way beyond that.
  /// After the other nodes; they watch node 0.
  std::size_t sentinels = 0;
  std::vector<MasterAddress> sentinel_addresses = {};  ///< Else 10.0.1.1:26379 and so on.
  SentinelSpec sentinel = {};

  /// Nodes are 10.0.0.1:6379, 10.0.0.2:6379 ...
  static TopologySpec IndependentMasters(std::size_t count);
  static TopologySpec WithReplicas(std::size_t replicas);  ///< Node 0 is the master.
};

class Topology {
 public:
  /// No nodes at all.
  Topology();
  explicit Topology(const TopologySpec& spec);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// As if just made: all nodes are up, replicas about to connect. Keeps what Server::Reset does.
  void Reset(const TopologySpec& spec);

  std::size_t size() const { return nodes_.size(); }
  Server& server(NodeId node) { return nodes_[node]->server; }
  /// The inside of that server.
  Engine& engine(NodeId node) { return nodes_[node]->engine; }
  const MasterAddress& address(NodeId node) const { return spec_.nodes[node].address; }
  std::optional<NodeId> Resolve(std::string_view host, int port) const;

  /// Moves all clocks. Messages and timers that have become due wait for RunTimers.
  void SetTime(std::int64_t us);
  std::int64_t time_us() const { return now_us_; }
  /// A jump of one node's wall clock, or how much faster than topology time it runs.
  void StepClock(NodeId node, std::int64_t us);
  void SetClockDrift(NodeId node, std::int64_t parts_per_million) {
    nodes_[node]->clock.SetDrift(now_us_, parts_per_million);
  }
  /// The first topology time at which the node's clock, if nothing sets it, shows `unix_us` or
  /// more; never before the last change of that clock.
  std::int64_t TimeAtClock(NodeId node, std::int64_t unix_us) const {
    return nodes_[node]->clock.TimeAt(unix_us);
  }

  /// When RunTimers should be called; nullopt: never, unless a command is executed first.
  std::optional<std::int64_t> NextTimerUs();
  void RunTimers();

  /// From one node to another, for what is sent from now on.
  void SetLag(NodeId from, NodeId to, std::int64_t us) { traffic_.SetLag({from, to}, us); }
  /// Both ways: messages wait until it is healed.
  void SetCut(NodeId a, NodeId b, bool cut) { traffic_.SetCut(a, b, cut); }
  /// Ways on which something waits that could be delivered, in order.
  std::vector<std::pair<NodeId, NodeId>> Deliverable();
  /// The oldest message of that way, now. False: there is none, or it cannot be delivered.
  bool DeliverOne(NodeId from, NodeId to);

  /// The process ends (Server::Kill). Its clients are the caller's to disconnect.
  void Kill(NodeId node, const Server::Crash& crash);
  /// REQUIRES: it was killed.
  void Start(NodeId node, std::int64_t loading_us = 0);
  /// SIGSTOP and SIGCONT: connections stay, nothing happens. REQUIRES: no Execute in between.
  void SetPaused(NodeId node, bool paused);
  bool IsUp(NodeId node) const { return nodes_[node]->up; }
  bool IsPaused(NodeId node) const { return nodes_[node]->paused; }
  /// Neither down, nor stopped, nor in DEBUG SLEEP.
  bool Runs(NodeId node);

  bool IsSentinel(NodeId node) const { return node >= spec_.nodes.size() - spec_.sentinels; }
  /// Null, if it is none.
  Sentinel* sentinel(NodeId node) { return nodes_[node]->sentinel.get(); }
  /// A command of the one would be answered by the other now.
  bool Reaches(NodeId from, NodeId to) { return Runs(to) && !traffic_.IsCut(from, to); }
  /// As a Sentinel does it: REPLICAOF (nullopt: NO ONE), CONFIG REWRITE, CLIENT KILL.
  void Reconfigure(NodeId node, const std::optional<MasterAddress>& master);

  /// A replica that has whatever its master has, as soon as somebody looks.
  bool InStep(NodeId node) { return links_.InStep(node); }
  /// Whether the node runs, its clock, its links to others, what it has sent them.
  void Describe(NodeId node, StateSink& sink);

 private:
  using Way = ReplicationTraffic::Way;
  struct NodeState {
    std::unique_ptr<Sentinel> sentinel;
    bool up = true;
    bool paused = false;
    NodeClock clock;
    std::int64_t started_us = 0;
    std::int64_t next_cron_us = 0;
  };
  struct Node : NodeState {
    Server server;
    Engine& engine = server.engine();
  };

  void ResetNode(NodeId id);
  bool SentinelsAct() const { return spec_.sentinels > 0 && !spec_.sentinel.led; }
  void RunSentinels();
  bool CanDeliver(const Way& way);
  /// Of the oldest messages of all ways the first that is due; null: there is none.
  const Way* FirstDue();
  void Deliver(const Way& way);

  TopologySpec spec_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Node>> spare_;  // of a larger topology before
  ReplicationTraffic traffic_;
  ReplicationLinks links_{*this, traffic_};
  std::int64_t now_us_ = 0;
  std::int64_t next_tick_us_ = Sentinel::kTickUs;  // The Sentinels' next tick.
};

}  // namespace interlock::sim::redis
