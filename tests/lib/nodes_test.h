// SPDX-License-Identifier: MIT
//
// Several scripted servers by their addresses, for the connectors that lead to more than one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <interlock/topology.h>

#include "tests/support/fake_connection.h"
#include "tests/support/manual_runtime.h"

namespace interlock {

class NodesTest : public ::testing::Test {
 protected:
  using Kind = TopologyEvent::Kind;

  static NodeAddress At(int port) { return {"10.0.0.1", port}; }

  testing::FakeConnector& Node(int port) {
    std::unique_ptr<testing::FakeConnector>& node = nodes_[port];
    if (node == nullptr) node = std::make_unique<testing::FakeConnector>(runtime_);
    return *node;
  }

  ConnectNode ToNodes() {
    return [this](const NodeAddress& address, MonotonicTime deadline) {
      EXPECT_EQ(address.host, "10.0.0.1");
      return Node(address.port).Connect(deadline);
    };
  }

  TopologyObserver Recorder() {
    return [this](const TopologyEvent& event) { events_.push_back(event); };
  }

  int Count(Kind kind) const {
    int count = 0;
    for (const TopologyEvent& event : events_) count += event.kind == kind ? 1 : 0;
    return count;
  }

  static testing::Answer Error(std::string text) {
    return testing::Answer::With(testing::ErrorReply(std::move(text)));
  }

  MonotonicTime In(Duration delay) { return AddSaturating(runtime_.Now(), delay); }

  Result<Reply> Call(Connection& connection, const std::vector<std::string_view>& words) {
    return connection.Call(words, In(std::chrono::seconds(1)));
  }

  testing::ManualRuntime runtime_;
  std::map<int, std::unique_ptr<testing::FakeConnector>> nodes_;
  std::vector<TopologyEvent> events_;
};

}  // namespace interlock
