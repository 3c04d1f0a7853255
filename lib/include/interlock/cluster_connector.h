// SPDX-License-Identifier: MIT
//
// ClusterConnector: connections to a Redis Cluster, each command sent to the node that owns the
// slot of its key.
//
//   auto nodes = MakeHiredisNodes(runtime, {.password = "..."});
//   auto connector = ClusterConnector::Create(runtime, *nodes,
//       {.seeds = {{"10.0.0.1", 7000}, {"10.0.0.2", 7000}}});
//   Client client(runtime, **connector);
//
// Guarantee: MOVED and ASK are followed, at most `max_resends` times per command; a node that
// answers so has executed nothing, so no command is executed twice. TRYAGAIN and CLUSTERDOWN are
// tried again after pauses, within the same bound; then the error is the reply, which the locks
// report as kUnavailable. The slot table is read again after a MOVED and after each failure of a
// node. Replies come in the order of the commands. All keys of one lock share a slot by their hash
// tag.
//
// Not guaranteed: that a grant survives the failover of a node. Replication is asynchronous, so the
// new master may not know of it; fencing tokens, Redlock and ClientOptions::acknowledged_by help as
// they do with Sentinel. While a slot is being moved, Redis refuses commands with several keys of
// which some do not exist (TRYAGAIN), which is what most lock scripts are: locks in that slot
// cannot be taken, extended or released until it has moved. Move slots faster than leases end.
// Commands that are sent before the first is answered may be executed in another order if a slot
// moves. Where slots move at once (CLUSTER MIGRATESLOTS of Valkey 9), commands that write, and all
// scripts, wait for the move, up to twice cluster-manual-failover-timeout (10 s), and then follow
// MOVED, as a blocked waiter does. If the source has to take writes again before it hears that the
// slots are claimed ("Write loss risk!" in its log), grants of that time are lost as in a failover.
//
// Cost: none per command; one CLUSTER SLOTS when first used and after each move. A connection opens
// one to each node that it needs, when it needs it, so a Send may take up to node_timeout, twice if
// a node is gone, but not past its deadline. An error in one of them breaks the whole. Pub/Sub
// messages are not supported, and database 0 is the only one.
//
// Thread safety: may be used from any task; its connections by one task at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <interlock/connection.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

namespace interlock {

namespace internal {
class ClusterSlots;
}

struct ClusterOptions {
  /// Some nodes of the cluster, to learn the others from. At least one.
  std::vector<NodeAddress> seeds = {};

  /// How long it may take to connect to a node, or to ask one for the slot table. [1 ms, 1 h]
  Duration node_timeout = std::chrono::milliseconds(500);

  /// How often one command may be sent again because of the cluster's answers. [1, 100]
  int max_resends = 8;

  /// The pauses before a command is sent again: after TRYAGAIN and CLUSTERDOWN, and after the
  /// second redirection. max_wait has no meaning here.
  RetryOptions retry = {.first_pause = std::chrono::milliseconds(10),
                        .max_pause = std::chrono::milliseconds(100)};

  TopologyObserver observer = {};
};

Status Validate(const ClusterOptions& options);

class ClusterConnector final : public Connector {
 public:
  /// Connects to nothing yet. `runtime` and the connector must outlive the connections.
  /// kInvalidArgument: an option is out of range; the message says which.
  static Result<std::unique_ptr<ClusterConnector>> Create(Runtime& runtime, ConnectNode to_nodes,
                                                          ClusterOptions options);
  ~ClusterConnector() override;

  /// Reads the slot table if it is not known. As Connector; kUnavailable also if no node gave it.
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;

  /// "redis+cluster://10.0.0.1:7000,10.0.0.2:7000"
  std::string endpoint() const override;

 private:
  ClusterConnector(Runtime& runtime, ConnectNode to_nodes, ClusterOptions options);

  Runtime& runtime_;
  const ConnectNode to_nodes_;
  const ClusterOptions options_;
  const std::unique_ptr<internal::ClusterSlots> slots_;  ///< shared by the connections
};

}  // namespace interlock
