// SPDX-License-Identifier: MIT
//
// Real servers that belong together, and a fake topology with the same addresses beside them: every
// command goes to both, and both have to answer the same.
//
// Thread safety: none.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/topology.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

/// Connection 0 of each node is open from the start.
class TopologyPair {
 public:
  using NodeId = sim::redis::NodeId;
  using Argv = sim::redis::Argv;

  /// What the real server and the fake one say.
  struct Answers {
    std::string real;
    std::string fake;
  };
  using RealServers = std::vector<std::shared_ptr<sim::machine::RedisServer>>;

  /// Masters, each with these words of configuration: {"--appendonly", "yes"}.
  TopologyPair(std::size_t nodes, const std::vector<std::string>& configuration);
  /// Beside servers that run; the fake ones have this configuration.
  TopologyPair(const RealServers& real, const sim::redis::Server::ConfigurationFile& of_fake);

  sim::machine::RedisServer& real(NodeId node) { return *nodes_[node]->real; }
  sim::redis::Topology& fake() { return *fake_; }
  int port(NodeId node) const { return nodes_[node]->real->port(); }
  /// A word that each of them has chosen by itself: commands and replies here have that of the
  /// fake.
  void SetAlike(const std::string& real, const std::string& fake) { alike_[real] = fake; }
  /// Another connection to the node; its number.
  std::size_t Connect(NodeId node);
  /// What both answer, or "real: ..., fake: ..." if they differ. Nothing within three seconds:
  /// "silence".
  std::string Call(NodeId node, const Argv& argv, std::size_t connection = 0);
  Answers Ask(NodeId node, const Argv& argv);
  /// The same for a command that blocks: nothing within 50 ms is "silence".
  std::string CallBlocking(NodeId node, const Argv& argv, std::size_t connection);
  /// To the real one alone, for what the fake does anyway.
  void TellReal(NodeId node, const Argv& argv);
  /// Asks the real one alone, for at most ten seconds, until its answer contains the text.
  bool AwaitReal(NodeId node, const Argv& argv, const std::string& text);
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
    std::shared_ptr<sim::machine::RedisServer> real;
    FakeEnd sink;
    std::vector<std::unique_ptr<WireClient>> real_clients;
    std::vector<sim::redis::ClientId> fake_clients;
  };

  Argv ToReal(const Argv& argv) const;
  std::string FromReal(const sim::redis::Value& value) const;
  std::string ReadReal(NodeId node, std::size_t connection, int patience_ms);
  std::string ReadFake(NodeId node, std::size_t connection, int patience_ms);

  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<sim::redis::Topology> fake_;
  std::map<std::string, std::string> alike_;  // By the real one's word.
};

}  // namespace interlock::testing
