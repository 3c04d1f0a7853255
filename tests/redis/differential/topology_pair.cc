// SPDX-License-Identifier: MIT
#include "tests/redis/differential/topology_pair.h"

#include <chrono>
#include <stdexcept>

#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ToText;

namespace {

constexpr int kSilenceMs = 50;
constexpr int kReplyMs = 3000;
constexpr std::int64_t kStepUs = 20'000;
constexpr std::int64_t kPatienceUs = 5'000'000;
constexpr const char* kSilence = "silence";

std::int64_t UnixUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string Both(const std::string& real, const std::string& fake) {
  return real == fake ? real : "real: " + real + ", fake: " + fake;
}

TopologyPair::RealServers StartServers(std::size_t nodes,
                                       const std::vector<std::string>& configuration) {
  TopologyPair::RealServers servers;
  while (servers.size() < nodes) {
    RedisServerOptions options;
    options.arguments = {"--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"};
    options.arguments.insert(options.arguments.end(), configuration.begin(), configuration.end());
    auto started = RedisServer::Start(std::move(options));
    if (!started.ok()) throw std::runtime_error(started.status().message());
    servers.push_back(std::move(*started));
  }
  return servers;
}

sim::redis::Server::ConfigurationFile OfFake(const std::vector<std::string>& configuration) {
  sim::redis::Server::ConfigurationFile file = {{"save", ""}, {"enable-debug-command", "yes"}};
  for (std::size_t i = 0; i + 1 < configuration.size(); i += 2) {
    file.emplace_back(configuration[i].substr(2), configuration[i + 1]);
  }
  return file;
}

}  // namespace

void TopologyPair::FakeEnd::OnReply(sim::redis::ClientId client, sim::redis::Value& value) {
  if (received.size() <= client) received.resize(client + 1);
  received[client].push_back(ToText(value));
}

void TopologyPair::FakeEnd::OnClosed(sim::redis::ClientId client) {
  if (received.size() <= client) received.resize(client + 1);
  received[client].push_back("closed");
}

TopologyPair::TopologyPair(std::size_t nodes, const std::vector<std::string>& configuration)
    : TopologyPair(StartServers(nodes, configuration), OfFake(configuration)) {}

TopologyPair::TopologyPair(const RealServers& real,
                           const sim::redis::Server::ConfigurationFile& of_fake) {
  sim::redis::TopologySpec spec;
  spec.start_us = UnixUs();
  for (const std::shared_ptr<RedisServer>& server : real) {
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->real = server;
    spec.nodes.push_back({.address = {"127.0.0.1", server->port()},
                          .replica_of = {},
                          .configuration = of_fake,
                          .dialect = &TestedDialect()});
  }
  fake_ = std::make_unique<sim::redis::Topology>(std::move(spec));
  for (NodeId node = 0; node < real.size(); ++node) {
    fake_->server(node).SetSink(&nodes_[node]->sink);
    Connect(node);
  }
}

std::size_t TopologyPair::Connect(NodeId id) {
  Node& node = *nodes_[id];
  node.real_clients.push_back(std::make_unique<WireClient>(node.real->port()));
  node.fake_clients.push_back(fake_->server(id).Connect());
  return node.fake_clients.size() - 1;
}

void TopologyPair::PassFake(std::int64_t us) {
  const std::int64_t end = fake_->time_us() + us;
  for (;;) {
    const auto next = fake_->NextTimerUs();
    if (!next || *next > end) break;
    fake_->SetTime(*next);
    fake_->RunTimers();
  }
  fake_->SetTime(end);
  fake_->RunTimers();
}

void TopologyPair::Send(NodeId id, const Argv& argv, std::size_t connection) {
  Node& node = *nodes_[id];
  node.real_clients[connection]->Send(ToReal(argv));
  fake_->server(id).Execute(node.fake_clients[connection], argv);
}

Argv TopologyPair::ToReal(const Argv& argv) const {
  Argv words = argv;
  for (std::string& word : words) {
    for (const auto& [real, fake] : alike_) {
      if (word == fake) word = real;
    }
  }
  return words;
}

std::string TopologyPair::FromReal(const sim::redis::Value& value) const {
  std::string text = ToText(value);
  for (const auto& [real, fake] : alike_) {
    for (std::size_t at = 0; (at = text.find(real, at)) != std::string::npos; at += fake.size()) {
      text.replace(at, real.size(), fake);
    }
  }
  return text;
}

std::string TopologyPair::ReadReal(NodeId id, std::size_t connection, int patience_ms) {
  WireClient& client = *nodes_[id]->real_clients[connection];
  const auto value = client.Read(patience_ms);
  if (value) return FromReal(*value);
  return client.closed() ? "closed" : kSilence;
}

std::string TopologyPair::ReadFake(NodeId id, std::size_t connection, int patience_ms) {
  Node& node = *nodes_[id];
  const sim::redis::ClientId client = node.fake_clients[connection];
  const auto is_silent = [&] {
    return node.sink.received.size() <= client || node.sink.received[client].empty();
  };
  constexpr int kStepMs = 10;
  for (int passed = 0; passed < patience_ms && is_silent(); passed += kStepMs) {
    PassFake(kStepMs * 1000);
  }
  if (is_silent()) return kSilence;
  std::string text = std::move(node.sink.received[client].front());
  node.sink.received[client].pop_front();
  return text;
}

std::string TopologyPair::Read(NodeId node, std::size_t connection) {
  return Both(ReadReal(node, connection, kReplyMs), ReadFake(node, connection, kReplyMs));
}

std::string TopologyPair::Call(NodeId node, const Argv& argv, std::size_t connection) {
  Send(node, argv, connection);
  return Read(node, connection);
}

TopologyPair::Answers TopologyPair::Ask(NodeId node, const Argv& argv) {
  Send(node, argv);
  return {ReadReal(node, 0, kReplyMs), ReadFake(node, 0, kReplyMs)};
}

std::string TopologyPair::CallBlocking(NodeId node, const Argv& argv, std::size_t connection) {
  Send(node, argv, connection);
  return Both(ReadReal(node, connection, kSilenceMs), ReadFake(node, connection, kSilenceMs));
}

void TopologyPair::TellReal(NodeId node, const Argv& argv) {
  nodes_[node]->real_clients[0]->Call(ToReal(argv));
}

bool TopologyPair::AwaitReal(NodeId node, const Argv& argv, const std::string& text) {
  WireClient& client = *nodes_[node]->real_clients[0];
  for (const std::int64_t end = UnixUs() + 2 * kPatienceUs; UnixUs() < end;) {
    if (FromReal(client.Call(ToReal(argv))).find(text) != std::string::npos) return true;
  }
  return false;
}

std::string TopologyPair::Await(NodeId id, const Argv& argv, const std::string& expected) {
  Node& node = *nodes_[id];
  std::string real;
  for (const std::int64_t end = UnixUs() + kPatienceUs; UnixUs() < end && real != expected;) {
    real = FromReal(node.real_clients[0]->Call(ToReal(argv)));
  }
  std::string fake;
  for (std::int64_t passed = 0; passed < kPatienceUs && fake != expected; passed += kStepUs) {
    PassFake(kStepUs);
    fake_->server(id).Execute(node.fake_clients[0], argv);
    fake = ReadFake(id, 0, kReplyMs);
  }
  return Both(real, fake);
}

void TopologyPair::Follow(NodeId replica, NodeId master) {
  Call(replica, {"REPLICAOF", "127.0.0.1", std::to_string(nodes_[master]->real->port())});
}

void TopologyPair::SetPaused(NodeId node, bool paused) {
  if (paused) {
    nodes_[node]->real->Pause();
  } else {
    nodes_[node]->real->Resume();
  }
  fake_->SetPaused(node, paused);
}

void TopologyPair::Restart(NodeId id) {
  Node& node = *nodes_[id];
  const Status status = node.real->Restart();
  if (!status.ok()) throw std::runtime_error(status.message());
  fake_->Kill(id, {});
  fake_->Start(id);
  node.real_clients.clear();
  node.fake_clients.clear();
  node.sink.received.clear();
  Connect(id);
  // It may still be loading.
  while (ToText(node.real_clients[0]->Call({"PING"})) != "PONG") {
  }
}

}  // namespace interlock::testing
