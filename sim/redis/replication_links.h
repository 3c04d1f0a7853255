// SPDX-License-Identifier: MIT
//
// The connections of the replicas of a topology to their masters, both ends of each: PSYNC, all
// data, units and acknowledgements. A link that worked is mended at once, any other once a second.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/redis/node_id.h"
#include "sim/redis/replication.h"
#include "sim/redis/replication_traffic.h"
#include "sim/redis/state.h"

namespace interlock::sim::redis {

class Topology;

class ReplicationLinks {
 public:
  /// Both outlive this.
  ReplicationLinks(Topology& topology, ReplicationTraffic& traffic)
      : topology_(topology), traffic_(traffic) {}
  /// There are no connections. `full_sync_us`: how long all data is on its way, beyond the lag.
  void Reset(std::size_t nodes, std::int64_t full_sync_us);

  /// Looks at what commands have brought about: new units, new roles, links that were given up.
  void Collect();
  /// What has arrived. To a process that is gone anything may arrive: a connection is refused.
  void Deliver(NodeId from, NodeId to, const ReplicationMessage& message);
  /// Whether RunCron does anything: it has a master or a replica.
  bool NeedsCron(NodeId node) const;
  /// Once a second.
  void RunCron(NodeId node, std::int64_t uptime_s);

  /// The process is about to end, so the other ends hear of it.
  void OnKill(NodeId node);
  /// The machine is about to lose its power: nobody hears of it before the next start.
  void OnPowerLoss(NodeId node);
  void OnStart(NodeId node);

  /// A replica that has whatever its master has, as soon as somebody looks.
  bool InStep(NodeId node) const;
  /// The node's links to its master and its replicas, and what it has sent others. Connections and
  /// histories have names of their own in every run, so they are described by what they lead to.
  void Describe(NodeId node, StateSink& sink) const;

 private:
  using Message = ReplicationMessage;
  /// A replica's end of its connection; `connection` 0: there is none.
  struct Upstream {
    std::uint64_t connection = 0;
    NodeId master = 0;
    std::uint64_t epoch = 0;  // Replication::epoch() when it was opened.
    bool retry_at_once = true;
  };
  /// A master's end.
  struct Downstream {
    std::uint64_t connection = 0;
    std::uint64_t handle = 0;
    NodeId replica = 0;
  };
  struct Ends {
    Upstream upstream;
    std::vector<Downstream> downstreams;
  };

  Replication& replication(NodeId node) const;
  void Send(NodeId from, NodeId to, Message&& message, std::int64_t delay_us = 0);
  void SendAcknowledgement(NodeId replica, std::int64_t offset);
  void CollectUpstream(NodeId node, const Replication& its);
  void CollectDownstreams(NodeId node, Replication& its, const Journal& journal);
  void Connect(NodeId replica);
  void HangUp(NodeId replica, bool tell_master);
  void CloseDownstreams(NodeId master);
  void OnRequest(NodeId master, NodeId replica, const Message& message);
  void OnMessageFromMaster(NodeId replica, const Message& message);
  void OnMessageFromReplica(NodeId master, NodeId replica, const Message& message);
  /// Null: it is not, or no longer, one of the master's.
  const Downstream* FindDownstream(NodeId master, std::uint64_t connection) const;
  void DescribeTraffic(const ReplicationTraffic::Ways::value_type& way, StateSink& sink) const;
  void DescribeWrites(NodeId master, StateSink& sink) const;

  Topology& topology_;
  ReplicationTraffic& traffic_;
  std::vector<Ends> ends_;  // Of every node.
  std::int64_t full_sync_us_ = 0;
  std::uint64_t connections_ = 0;
};

}  // namespace interlock::sim::redis
