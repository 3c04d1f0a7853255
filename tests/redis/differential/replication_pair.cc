// SPDX-License-Identifier: MIT
#include "tests/redis/differential/replication_pair.h"

#include <chrono>
#include <stdexcept>

#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

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

}  // namespace

void ReplicationPair::FakeEnd::OnReply(sim::redis::ClientId client, sim::redis::Value& value) {
  if (received.size() <= client) received.resize(client + 1);
  received[client].push_back(ToText(value));
}

void ReplicationPair::FakeEnd::OnClosed(sim::redis::ClientId client) {
  if (received.size() <= client) received.resize(client + 1);
  received[client].push_back("closed");
}

ReplicationPair::ReplicationPair(std::size_t nodes, const std::vector<std::string>& configuration) {
  sim::redis::TopologySpec spec;
  spec.start_us = UnixUs();
  for (NodeId node = 0; node < nodes; ++node) {
    RedisServerOptions options;
    options.arguments = {"--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"};
    options.arguments.insert(options.arguments.end(), configuration.begin(), configuration.end());
    auto started = RedisServer::Start(std::move(options));
    if (!started.ok()) throw std::runtime_error(started.status().message());
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->real = std::move(*started);
    sim::redis::NodeSpec its_spec;
    its_spec.address = {"127.0.0.1", nodes_.back()->real->port()};
    its_spec.dialect = &TestedDialect();
    its_spec.configuration = {{"save", ""}, {"enable-debug-command", "yes"}};
    for (std::size_t i = 0; i + 1 < configuration.size(); i += 2) {
      its_spec.configuration.emplace_back(configuration[i].substr(2), configuration[i + 1]);
    }
    spec.nodes.push_back(std::move(its_spec));
  }
  fake_ = std::make_unique<sim::redis::Topology>(std::move(spec));
  for (NodeId node = 0; node < nodes; ++node) {
    fake_->server(node).SetSink(&nodes_[node]->sink);
    Connect(node);
  }
}

std::size_t ReplicationPair::Connect(NodeId id) {
  Node& node = *nodes_[id];
  node.real_clients.push_back(std::make_unique<WireClient>(node.real->port()));
  node.fake_clients.push_back(fake_->server(id).Connect());
  return node.fake_clients.size() - 1;
}

void ReplicationPair::PassFake(std::int64_t us) {
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

void ReplicationPair::Send(NodeId id, const Argv& argv, std::size_t connection) {
  Node& node = *nodes_[id];
  node.real_clients[connection]->Send(argv);
  fake_->server(id).Execute(node.fake_clients[connection], argv);
}

std::string ReplicationPair::ReadReal(NodeId id, std::size_t connection, int patience_ms) {
  WireClient& client = *nodes_[id]->real_clients[connection];
  const auto value = client.Read(patience_ms);
  if (value) return ToText(*value);
  return client.closed() ? "closed" : kSilence;
}

std::string ReplicationPair::ReadFake(NodeId id, std::size_t connection, int patience_ms) {
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

std::string ReplicationPair::Read(NodeId node, std::size_t connection) {
  return Both(ReadReal(node, connection, kReplyMs), ReadFake(node, connection, kReplyMs));
}

std::string ReplicationPair::Call(NodeId node, const Argv& argv, std::size_t connection) {
  Send(node, argv, connection);
  return Read(node, connection);
}

std::string ReplicationPair::CallBlocking(NodeId node, const Argv& argv, std::size_t connection) {
  Send(node, argv, connection);
  return Both(ReadReal(node, connection, kSilenceMs), ReadFake(node, connection, kSilenceMs));
}

void ReplicationPair::TellReal(NodeId node, const Argv& argv) {
  nodes_[node]->real_clients[0]->Call(argv);
}

std::string ReplicationPair::Await(NodeId id, const Argv& argv, const std::string& expected) {
  Node& node = *nodes_[id];
  std::string real;
  for (const std::int64_t end = UnixUs() + kPatienceUs; UnixUs() < end && real != expected;) {
    real = ToText(node.real_clients[0]->Call(argv));
  }
  std::string fake;
  for (std::int64_t passed = 0; passed < kPatienceUs && fake != expected; passed += kStepUs) {
    PassFake(kStepUs);
    fake_->server(id).Execute(node.fake_clients[0], argv);
    fake = ReadFake(id, 0, kReplyMs);
  }
  return Both(real, fake);
}

void ReplicationPair::Follow(NodeId replica, NodeId master) {
  Call(replica, {"REPLICAOF", "127.0.0.1", std::to_string(nodes_[master]->real->port())});
}

void ReplicationPair::SetPaused(NodeId node, bool paused) {
  if (paused) {
    nodes_[node]->real->Pause();
  } else {
    nodes_[node]->real->Resume();
  }
  fake_->SetPaused(node, paused);
}

void ReplicationPair::Restart(NodeId id) {
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
