// SPDX-License-Identifier: MIT
//
// A topology whose time the test moves, with one client on every node.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/topology.h"

namespace interlock::sim::redis {

class TopologyTest : public ::testing::Test {
 protected:
  void Build(TopologySpec spec) {
    spec.start_us = 1'700'000'000'000'000;
    topology_ = std::make_unique<Topology>(std::move(spec));
    logs_.clear();
    clients_.assign(topology_->size(), 0);
    for (NodeId node = 0; node < topology_->size(); ++node) {
      logs_.push_back(std::make_unique<Log>());
      topology_->server(node).SetSink(logs_.back().get());
      clients_[node] = topology_->server(node).Connect();
    }
  }
  /// Lets everything happen that is due within so long.
  void Pass(std::int64_t us) {
    const std::int64_t end = topology_->time_us() + us;
    for (;;) {
      const auto next = topology_->NextTimerUs();
      if (!next || *next > end) break;
      topology_->SetTime(*next);
      topology_->RunTimers();
    }
    topology_->SetTime(end);
    topology_->RunTimers();
  }
  static constexpr std::int64_t kMs = 1000;
  static constexpr std::int64_t kSecond = 1'000'000;

  /// What the node's own client got for it: "OK"; joined by "; ".
  std::string Run(NodeId node, const Argv& argv) { return RunAs(node, clients_[node], argv); }
  std::string RunAs(NodeId node, ClientId client, const Argv& argv) {
    Heard(node);
    topology_->server(node).Execute(client, argv);
    return Heard(node);
  }
  std::string Heard(NodeId node) {
    std::string all;
    for (const std::string& line : logs_[node]->lines) all += (all.empty() ? "" : "; ") + line;
    logs_[node]->lines.clear();
    return all;
  }
  void Restart(NodeId node, const Server::Crash& crash = {}) {
    topology_->Kill(node, crash);
    topology_->Start(node);
    clients_[node] = topology_->server(node).Connect();
  }

  struct Log final : Sink {
    void OnReply(ClientId, Value& value) override { lines.push_back(ToText(value)); }
    void OnClosed(ClientId) override { lines.push_back("closed"); }
    std::vector<std::string> lines;
  };
  std::unique_ptr<Topology> topology_;
  std::vector<std::unique_ptr<Log>> logs_;
  std::vector<ClientId> clients_;
};

}  // namespace interlock::sim::redis
