// SPDX-License-Identifier: MIT
//
// The simulated world of a workload as its clients see it: the world's options, and the
// harness::Environment of each client.
//
// Thread safety: that of the world.
#pragma once

#include <memory>

#include <interlock/cluster_connector.h>
#include <interlock/harness/lock.h>

#include "scenarios/cases/workload.h"
#include "sim/world.h"

namespace interlock::scenarios {

/// `hash_trace` is implied by `keep_events`.
sim::WorldOptions WorldOptionsOf(const Workload& workload, bool keep_events, bool hash_trace);

/// The environment of a simulated client, as the harness shows it to the code under test.
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
