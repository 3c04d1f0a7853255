// SPDX-License-Identifier: MIT
//
// The servers of one run, all of them our own, and how each client reaches them: directly, through
// a fault proxy, or through Sentinels. Without Sentinels, the proxy also redirects clients from a
// primary to its successor.
//
// Everything ends with the object, and with the thread that made it. Thread safety: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/topology.h>

#include "sim/machine/proxy/fault_proxy.h"
#include "sim/machine/real_fault.h"
#include "sim/machine/redis_topology.h"
#include "sim/setting.h"

namespace interlock::sim::machine {

/// How a client finds its servers.
struct ClientWay {
  std::vector<HiredisOptions> nodes;        ///< one, or one per master
  std::vector<NodeAddress> sentinels = {};  ///< if any, they direct clients to the single node
};

struct StageOptions {
  Topology topology = Topology::kStandalone;
  int nodes = 1;  ///< independent masters
  Persistence persistence = Persistence::kNone;
  bool sentinels = false;  ///< three Sentinels watch the primary
  int clients = 1;
  int database = 0;
};

class Stage {
 public:
  /// `faults` are those of the run.
  static Result<std::unique_ptr<Stage>> Open(const std::vector<RealFault>& faults,
                                             const StageOptions& options);

  ClientWay WayOf(int client) const;

  /// The masters; with replicas only one, the present primary.
  std::size_t nodes() const { return topology_->masters(); }
  RedisServer& node(std::size_t index) { return primary_ ? *primary_ : topology_->master(index); }
  HiredisOptions OptionsOf(std::size_t node);

  bool replicated() const { return topology_->replicas() > 0; }
  /// Empty if not replicated.
  std::vector<RedisServer*> ReplicasOf(const RedisServer& primary);
  /// Makes `promoted` the primary from now on; `reset`: for existing connections, too.
  void Follow(RedisServer& promoted, bool reset);
  /// The server other than `old` that all Sentinels name; nullptr: none yet.
  RedisServer* NamedBySentinels(const RedisServer& old);

  FaultProxy* proxy() { return proxy_.get(); }

 private:
  explicit Stage(int database) : database_(database) {}

  std::vector<RedisServer*> DataServers();

  const int database_;
  std::unique_ptr<RedisTopology> topology_;
  std::unique_ptr<FaultProxy> proxy_;  // nullptr: clients find the servers themselves
  RedisServer* primary_ = nullptr;     // nullptr: not replicated
};

}  // namespace interlock::sim::machine
