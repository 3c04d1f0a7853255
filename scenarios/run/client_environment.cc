// SPDX-License-Identifier: MIT
#include "scenarios/run/client_environment.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "scenarios/run/wall_clock.h"

namespace interlock::scenarios {
namespace {

/// The entropy of each process of a world is distinct by construction; a seed of its own would only
/// make shrinking change the tokens.
constexpr std::uint64_t kEntropySeed = 0x5eed;

std::vector<NodeAddress> AddressesOf(const sim::World& world) {
  std::vector<NodeAddress> addresses;
  addresses.reserve(static_cast<std::size_t>(world.nodes()));
  for (int node = 0; node < world.nodes(); ++node) {
    addresses.push_back(world.address(node));
  }
  return addresses;
}

ConnectNode WayTo(sim::World& world, int client) {
  return [&world, client](const NodeAddress& address,
                          MonotonicTime deadline) -> Result<std::unique_ptr<Connection>> {
    for (int node = 0; node < world.nodes(); ++node) {
      if (world.address(node) != address) continue;
      return world.connector(client, node).Connect(deadline);
    }
    return Status(StatusCode::kUnavailable, "no server is at " + address.ToString());
  };
}

/// Reaches the cluster as an application that uses the library does.
std::unique_ptr<ClusterConnector> ConnectorToCluster(sim::World& world, int client) {
  ClusterOptions options;
  options.seeds = AddressesOf(world);
  return *ClusterConnector::Create(world.runtime(client), WayTo(world, client), std::move(options));
}

}  // namespace

sim::WorldOptions WorldOptionsOf(const Workload& workload, bool keep_events, bool hash_trace) {
  sim::WorldOptions options;
  options.latency_min = workload.latency_max / 20;
  options.latency_max = workload.latency_max;
  options.entropy_seed = kEntropySeed;
  options.topology = workload.topology;
  options.nodes = workload.nodes;
  options.persistence = workload.persistence;
  // A replica is farther away than any client, so it may not know yet what a client has been told.
  options.replication_lag = 2 * workload.latency_max;
  options.keep_events = keep_events;
  options.hash_trace = hash_trace || keep_events;
  options.max_steps = 1'000'000;  // a lock that polls to the end of a long wait takes 100'000
  return options;
}

ClientEnvironment::ClientEnvironment(sim::World& world, int client, sim::Topology topology,
                                     Duration clock_offset)
    : cluster_(topology == sim::Topology::kCluster ? ConnectorToCluster(world, client) : nullptr),
      environment_{
          world.runtime(client),
          cluster_ != nullptr ? static_cast<Connector&>(*cluster_) : world.connector(client),
          {}} {
  for (int node = 0; node < world.nodes(); ++node) {
    environment_.nodes.push_back(&world.connector(client, node));
  }
  environment_.wall_ms = SimulatedWallClock(environment_.runtime, clock_offset);
  if (cluster_ == nullptr) return;
  environment_.cluster = AddressesOf(world);
  environment_.connect = WayTo(world, client);
}

}  // namespace interlock::scenarios
