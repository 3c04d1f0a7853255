// SPDX-License-Identifier: MIT
#include "tests/conformance/backend.h"

#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <interlock/cluster_connector.h>
#include <interlock/hiredis_connector.h>
#include <interlock/sentinel_connector.h>
#include <interlock/thread_runtime.h>

#include "scenarios/run/wall_clock.h"
#include "sim/universe.h"
#include "sim/world.h"
#include "tests/support/redis_server.h"

namespace interlock::conformance {
namespace {

/// Longer than any of the programs takes, whatever else the machine does.
constexpr std::chrono::seconds kPatience(60);

class FakeBackend final : public Backend {
 public:
  bool Run(const harness::Subject& subject, const harness::LockOptions& options,
           const std::vector<Program>& programs) override {
    sim::WorldOptions world_options;
    if (subject.traits().quorum) {
      world_options.topology = sim::Topology::kIndependent;
      world_options.nodes = kFakeMasters;
    }
    sim::Universe universe;
    sim::Choices choices = sim::Choices::FromTape({});
    sim::World world(universe, world_options, {}, choices, nullptr);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const int process = world.AddProcess({});
      world.Start(process, [&, i, process] {
        harness::Environment environment{
            world.runtime(process),
            world.connector(process),
            {},
            scenarios::SimulatedWallClock(world.runtime(process), Duration{})};
        for (int node = 0; node < world.nodes(); ++node) {
          environment.nodes.push_back(&world.connector(process, node));
        }
        Client client(std::move(environment), subject, options);
        programs[i](client);
      });
    }
    return world.Run(kPatience) == sim::StopReason::kFinished;
  }
};

/// Of the real servers one topology at a time, started when it is first asked for: a test finds it
/// empty, and has it to itself.
testing::RedisTopology* Topology(Where where, const testing::RedisTopologyOptions& options) {
  static std::unique_ptr<testing::RedisTopology> topology;
  static Where running{};
  if (running != where) topology.reset();
  running = where;
  if (topology == nullptr) {
    auto started = testing::RedisTopology::Start(options);
    EXPECT_TRUE(started.ok()) << started.status().ToString();
    if (started.ok()) topology = std::move(started).value();
    for (std::size_t i = 0; topology != nullptr && i < topology->masters(); ++i) {
      // No test here is about failover, and a busy machine is not to bring one about.
      EXPECT_EQ(*topology->master(i).Command({"CONFIG", "SET", "cluster-node-timeout", "60000"}),
                "OK");
    }
  }
  for (std::size_t i = 0; topology != nullptr && i < topology->masters(); ++i) {
    EXPECT_EQ(*topology->master(i).Command({"FLUSHALL"}), "OK");
  }
  return topology.get();
}

std::vector<NodeAddress> AddressesOf(std::size_t count,
                                     const std::function<testing::RedisServer&(std::size_t)>& of) {
  std::vector<NodeAddress> addresses;
  for (std::size_t i = 0; i < count; ++i) addresses.push_back({"127.0.0.1", of(i).port()});
  return addresses;
}

/// The connectors of one client: to each master, or one that finds its way among them.
Result<std::vector<std::unique_ptr<Connector>>> Connect(ThreadRuntime& runtime, Where where,
                                                        testing::RedisTopology& topology) {
  std::vector<std::unique_ptr<Connector>> connectors;
  const auto nodes = MakeHiredisNodes(runtime, {});
  const auto add = [&](auto made) {
    if (made.ok()) connectors.push_back(std::move(made).value());
    return made.status();
  };
  Status status;
  if (where == Where::kSentinels) {
    status = add(SentinelConnector::Create(
        runtime, *nodes, *nodes,
        {.sentinels = AddressesOf(
             topology.sentinels(), [&](std::size_t i) -> auto& { return topology.sentinel(i); }),
         .master_name = std::string(sim::machine::kMasterName)}));
  } else if (where == Where::kCluster) {
    status = add(ClusterConnector::Create(
        runtime, *nodes,
        {.seeds = AddressesOf(
             topology.masters(), [&](std::size_t i) -> auto& { return topology.master(i); })}));
  }
  const bool one_by_one = where == Where::kServer || where == Where::kMasters;
  for (std::size_t i = 0; one_by_one && status.ok() && i < topology.masters(); ++i) {
    status = add(MakeHiredisConnector(runtime, topology.master(i).url()));
  }
  if (!status.ok()) return status;
  return connectors;
}

class RealBackend final : public Backend {
 public:
  explicit RealBackend(Where where) : where_(where) {}

  bool Run(const harness::Subject& subject, const harness::LockOptions& options,
           const std::vector<Program>& programs) override {
    testing::RedisTopology* const topology = Topology(where_, Options());
    if (topology == nullptr) return false;
    std::vector<std::thread> clients;
    clients.reserve(programs.size());
    for (const Program& program : programs) {
      clients.emplace_back([&] { RunClient(subject, options, program, *topology); });
    }
    for (std::thread& client : clients) client.join();
    return true;
  }

 private:
  testing::RedisTopologyOptions Options() const {
    switch (where_) {
      case Where::kMasters:
        return sim::machine::IndependentMasters();
      case Where::kSentinels:
        return sim::machine::UnderSentinels();
      case Where::kCluster:
        return sim::machine::ClusterOfThree();
      default:
        return sim::machine::Standalone();
    }
  }

  void RunClient(const harness::Subject& subject, const harness::LockOptions& options,
                 const Program& program, testing::RedisTopology& topology) const {
    ThreadRuntime runtime;
    const auto connectors = Connect(runtime, where_, topology);
    ASSERT_TRUE(connectors.ok()) << connectors.status().ToString();
    std::vector<Connector*> nodes;
    for (const auto& one : *connectors) nodes.push_back(one.get());
    Client client({runtime, *nodes.front(), nodes}, subject, options);
    program(client);
  }

  const Where where_;
};

}  // namespace

void Client::Await(const std::atomic<bool>& flag) {
  const MonotonicTime limit = In(kPatience / 2);
  while (!flag && Now() < limit) SleepFor(std::chrono::milliseconds(1));
  EXPECT_TRUE(flag) << "another client did not come so far";
}

std::unique_ptr<Backend> NewBackend(Where where) {
  if (where == Where::kFake) return std::make_unique<FakeBackend>();
  return std::make_unique<RealBackend>(where);
}

}  // namespace interlock::conformance
