// SPDX-License-Identifier: MIT
//
// The environment of a simulated client, as the harness shows it to the lock under test.
//
// Thread safety: belongs to the client's task.
#pragma once

#include <memory>

#include <interlock/cluster_connector.h>
#include <interlock/harness/lock.h>

#include "sim/world.h"

namespace interlock::scenarios {

class ClientEnvironment {
 public:
  /// `world` outlives it. `clock_offset`: reading of the client's monotonic clock when the world
  /// begins.
  ClientEnvironment(sim::World& world, int client, sim::Topology topology, Duration clock_offset);
  ClientEnvironment(const ClientEnvironment&) = delete;
  ClientEnvironment& operator=(const ClientEnvironment&) = delete;

  harness::Environment& get() { return environment_; }

 private:
  const std::unique_ptr<ClusterConnector> cluster_;  ///< null: the servers are no cluster
  harness::Environment environment_;
};

}  // namespace interlock::scenarios
