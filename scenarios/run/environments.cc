// SPDX-License-Identifier: MIT
#include "scenarios/run/environments.h"

#include <cstdint>
#include <string>
#include <utility>

#include <interlock/cluster_connector.h>
#include <interlock/hiredis_connector.h>
#include <interlock/sentinel_connector.h>

#include "scenarios/run/wall_clock.h"
#include "sim/check.h"

namespace interlock::scenarios {
namespace {

/// The entropy of each process of a world is distinct by construction; a seed of its own would only
/// make shrinking change the tokens.
constexpr std::uint64_t kEntropySeed = 0x5eed;

std::vector<NodeAddress> AddressesOf(const sim::World& world, int first, int last) {
  std::vector<NodeAddress> addresses;
  for (int node = first; node < last; ++node) addresses.push_back(world.address(node));
  return addresses;
}

std::vector<NodeAddress> AddressesOf(const sim::World& world) {
  return AddressesOf(world, 0, world.nodes());
}

/// Reaches the cluster as an application that uses the library does.
std::unique_ptr<ClusterConnector> ConnectorToCluster(Runtime& runtime, const sim::World& world,
                                                     ConnectNode connect) {
  ClusterOptions options;
  options.seeds = AddressesOf(world);
  return *ClusterConnector::Create(runtime, std::move(connect), std::move(options));
}

ConnectNode SimulatedWay(sim::World& world, int client) {
  return [&world, client](const NodeAddress& address,
                          MonotonicTime deadline) -> Result<std::unique_ptr<Connection>> {
    for (int node = 0; node < world.nodes(); ++node) {
      if (world.address(node) != address) continue;
      return world.connector(client, node).Connect(deadline);
    }
    return Status(StatusCode::kUnavailable, "no server is at " + address.ToString());
  };
}

/// As an application that uses the library reaches the master; null: as the world leads there.
std::unique_ptr<Connector> Guide(Runtime& runtime, const sim::World& world, sim::Topology topology,
                                 const ConnectNode& way) {
  if (IsCluster(topology)) return ConnectorToCluster(runtime, world, way);
  if (topology != sim::Topology::kSentinel) return nullptr;
  SentinelOptions options;
  options.sentinels = AddressesOf(world, NodesWithData(world, topology), world.nodes());
  options.master_name = "mymaster";
  return *SentinelConnector::Create(runtime, way, way, std::move(options));
}

/// See sim/posix/names.h.
std::unique_ptr<Connector> HiredisTo(Runtime& runtime, std::string host, int port = 6379) {
  HiredisOptions options;
  options.host = std::move(host);
  options.port = port;
  Result<std::unique_ptr<Connector>> connector = MakeHiredisConnector(runtime, std::move(options));
  sim::Require(connector.ok(), "the name of a simulated server is no host");
  return *std::move(connector);
}

ConnectNode CompiledWay(Runtime& runtime) {
  return [&runtime](const NodeAddress& address,
                    MonotonicTime deadline) -> Result<std::unique_ptr<Connection>> {
    return HiredisTo(runtime, address.host, address.port)->Connect(deadline);
  };
}

std::unique_ptr<Connector> CompiledPrimary(Runtime& runtime, const sim::World& world,
                                           sim::Topology topology) {
  std::unique_ptr<Connector> guide = Guide(runtime, world, topology, CompiledWay(runtime));
  return guide != nullptr ? std::move(guide) : HiredisTo(runtime, "redis");
}

}  // namespace

int NodesWithData(const sim::World& world, sim::Topology topology) {
  return world.nodes() - sim::SentinelsOf(topology);
}

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

SimulatedEnvironment::SimulatedEnvironment(sim::World& world, int client, sim::Topology topology,
                                           Duration clock_offset)
    : guide_(Guide(world.runtime(client), world, topology, SimulatedWay(world, client))),
      environment_{
          world.runtime(client), guide_ != nullptr ? *guide_ : world.connector(client), {}} {
  for (int node = 0; node < NodesWithData(world, topology); ++node) {
    environment_.nodes.push_back(&world.connector(client, node));
  }
  environment_.wall_ms = SimulatedWallClock(environment_.runtime, clock_offset);
  if (!IsCluster(topology)) return;
  environment_.cluster = AddressesOf(world);
  environment_.connect = SimulatedWay(world, client);
}

CompiledEnvironment::CompiledEnvironment(const sim::World& world, sim::Topology topology,
                                         const harness::Environment& simulated)
    : primary_(CompiledPrimary(runtime_, world, topology)),
      environment_{runtime_, *primary_, {}, simulated.wall_ms, simulated.cluster} {
  // The only server is the primary.
  if (world.nodes() == 1) {
    environment_.nodes.push_back(primary_.get());
  } else {
    for (int node = 0; node < NodesWithData(world, topology); ++node) {
      nodes_.push_back(HiredisTo(runtime_, "redis-" + std::to_string(node)));
      environment_.nodes.push_back(nodes_.back().get());
    }
  }
  if (IsCluster(topology)) environment_.connect = CompiledWay(runtime_);
}

}  // namespace interlock::scenarios
