// SPDX-License-Identifier: MIT
//
// Real servers that replicate, and a fake topology with the same addresses beside them: every
// command goes to both, and both have to answer the same.
//
// Thread safety: none.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/topology.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

/// Connection 0 of each node is open from the start.
class ReplicationPair {
 public:
  using NodeId = sim::redis::NodeId;
  using Argv = sim::redis::Argv;

  /// Masters, each with these words of configuration: {"--appendonly", "yes"}.
  ReplicationPair(std::size_t nodes, const std::vector<std::string>& configuration);

  int port(NodeId node) const { return nodes_[node]->real->port(); }
  /// Another connection to the node; its number.
  std::size_t Connect(NodeId node);
  /// What both answer, or "real: ..., fake: ..." if they differ. Nothing within three seconds:
  /// "silence".
  std::string Call(NodeId node, const Argv& argv, std::size_t connection = 0);
  /// The same for a command that blocks: nothing within 50 ms is "silence".
  std::string CallBlocking(NodeId node, const Argv& argv, std::size_t connection);
  /// To the real one alone, for what the fake does anyway.
  void TellReal(NodeId node, const Argv& argv);
  void Send(NodeId node, const Argv& argv, std::size_t connection = 0);
  std::string Read(NodeId node, std::size_t connection = 0);
  /// Asks again and again, for at most five seconds of each one's time, until both answer so.
  std::string Await(NodeId node, const Argv& argv, const std::string& expected);
  void Follow(NodeId replica, NodeId master);

  /// SIGSTOP and SIGCONT.
  void SetPaused(NodeId node, bool paused);
  /// kill -9, and a new start with the same disk.
  void Restart(NodeId node);
  void PassFake(std::int64_t us);

 private:
  struct FakeEnd final : sim::redis::Sink {
    void OnReply(sim::redis::ClientId client, sim::redis::Value& value) override;
    void OnClosed(sim::redis::ClientId client) override;
    std::vector<std::deque<std::string>> received;  // By id of the client.
  };
  struct Node {
    std::unique_ptr<sim::machine::RedisServer> real;
    FakeEnd sink;
    std::vector<std::unique_ptr<WireClient>> real_clients;
    std::vector<sim::redis::ClientId> fake_clients;
  };

  std::string ReadReal(NodeId node, std::size_t connection, int patience_ms);
  std::string ReadFake(NodeId node, std::size_t connection, int patience_ms);

  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<sim::redis::Topology> fake_;
};

}  // namespace interlock::testing
