// SPDX-License-Identifier: MIT
#include "tests/conformance/backend.h"

#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <interlock/hiredis_connector.h>
#include <interlock/thread_runtime.h>

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
      world_options.nodes = kMasters;
    }
    sim::Universe universe;
    sim::Choices choices = sim::Choices::FromTape({});
    sim::World world(universe, world_options, {}, choices, nullptr);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const int process = world.AddProcess({});
      world.Start(process, [&, i, process] {
        harness::Environment environment{world.runtime(process), world.connector(process), {}};
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

class RealBackend final : public Backend {
 public:
  bool Run(const harness::Subject& subject, const harness::LockOptions& options,
           const std::vector<Program>& programs) override {
    const int masters = subject.traits().quorum ? kMasters : 1;
    for (int i = 0; i < masters; ++i) {
      auto server = testing::RedisServer::Start({});
      EXPECT_TRUE(server.ok()) << server.status().ToString();
      if (!server.ok()) return false;
      servers_.push_back(std::move(server).value());
    }
    std::vector<std::thread> clients;
    clients.reserve(programs.size());
    for (const Program& program : programs) {
      clients.emplace_back([&] { RunClient(subject, options, program); });
    }
    for (std::thread& client : clients) client.join();
    return true;
  }

 private:
  void RunClient(const harness::Subject& subject, const harness::LockOptions& options,
                 const Program& program) {
    ThreadRuntime runtime;
    std::vector<std::unique_ptr<Connector>> connectors;
    std::vector<Connector*> nodes;
    for (const auto& server : servers_) {
      auto connector = MakeHiredisConnector(runtime, server->url());
      ASSERT_TRUE(connector.ok()) << connector.status().ToString();
      connectors.push_back(std::move(connector).value());
      nodes.push_back(connectors.back().get());
    }
    Client client({runtime, *nodes.front(), nodes}, subject, options);
    program(client);
  }

  std::vector<std::unique_ptr<testing::RedisServer>> servers_;
};

}  // namespace

void Client::Await(const std::atomic<bool>& flag) {
  const MonotonicTime limit = In(kPatience / 2);
  while (!flag && Now() < limit) SleepFor(std::chrono::milliseconds(1));
  EXPECT_TRUE(flag) << "another client did not come so far";
}

std::unique_ptr<Backend> NewFakeBackend() { return std::make_unique<FakeBackend>(); }
std::unique_ptr<Backend> NewRealBackend() { return std::make_unique<RealBackend>(); }

}  // namespace interlock::conformance
