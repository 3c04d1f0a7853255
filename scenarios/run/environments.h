// SPDX-License-Identifier: MIT
//
// The simulated world of a workload as its clients see it: the world's options, and how code under
// test reaches it. An environment outlives that code, and the world outlives the environment.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <memory>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/lock.h>
#include <interlock/thread_runtime.h>

#include "scenarios/cases/workload.h"
#include "sim/world.h"

namespace interlock::scenarios {

/// Its Sentinels, which have no data, stand behind these.
int NodesWithData(const sim::World& world, sim::Topology topology);

/// `hash_trace` is implied by `keep_events`.
sim::WorldOptions WorldOptionsOf(const Workload& workload, bool keep_events, bool hash_trace);

/// The simulator's own Runtime and Connectors; what the harness itself uses, too.
class SimulatedEnvironment {
 public:
  /// `clock_offset`: reading of the client's monotonic clock when the world begins.
  SimulatedEnvironment(sim::World& world, int client, sim::Topology topology,
                       Duration clock_offset);
  SimulatedEnvironment(const SimulatedEnvironment&) = delete;
  SimulatedEnvironment& operator=(const SimulatedEnvironment&) = delete;

  harness::Environment& get() { return environment_; }

 private:
  const std::unique_ptr<Connector> guide_;  ///< null: the world leads to the primary by itself
  harness::Environment environment_;
};

/// What an application uses in production: threads, and connections by hiredis. They call the C
/// library, which acts upon the world. For a lock with Traits::posix.
class CompiledEnvironment {
 public:
  /// Everything else is as in `simulated`.
  CompiledEnvironment(const sim::World& world, sim::Topology topology,
                      const harness::Environment& simulated);
  CompiledEnvironment(const CompiledEnvironment&) = delete;
  CompiledEnvironment& operator=(const CompiledEnvironment&) = delete;

  harness::Environment& get() { return environment_; }

 private:
  ThreadRuntime runtime_;
  const std::unique_ptr<Connector> primary_;
  std::vector<std::unique_ptr<Connector>> nodes_;
  harness::Environment environment_;
};

}  // namespace interlock::scenarios
