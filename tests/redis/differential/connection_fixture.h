// SPDX-License-Identifier: MIT
//
// Several connections to the fake and to a real redis-server at once: each step goes to both, and
// every value that either sends is compared. Ids, addresses and sizes differ, and are hidden. See
// side_by_side.h for one connection of each.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/redis/server.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

class ConnectionComparison : public ::testing::Test, private sim::redis::Sink {
 protected:
  static constexpr std::size_t kConnections = 4;

  struct Step {
    std::size_t connection;
    sim::redis::Argv argv;  ///< "$ID1" and "$ADDR1" are those of connection 1
  };

  void SetUp() override;

  /// Both sides, step by step; then a PING shows that nothing more was on its way.
  void Compare(const std::vector<Step>& steps);

  /// One connection says all of it.
  static std::vector<Step> Alone(const std::vector<sim::redis::Argv>& commands);

 private:
  void OnReply(sim::redis::ClientId client, sim::redis::Value& value) override {
    replies_[client].push_back(value);
  }
  void OnClosed(sim::redis::ClientId client) override { closed_.insert(client); }
  void SetTime();
  sim::redis::Argv Filled(const sim::redis::Argv& argv, bool real) const;
  void CompareReplies(const std::string& where);

  std::unique_ptr<sim::machine::RedisServer> real_;
  sim::redis::Server fake_;
  std::array<std::unique_ptr<WireClient>, kConnections> wires_;
  std::array<sim::redis::ClientId, kConnections> ids_{};
  std::array<std::string, kConnections> real_ids_;
  std::array<std::string, kConnections> real_addresses_;
  std::map<sim::redis::ClientId, std::deque<sim::redis::Value>> replies_;
  std::set<sim::redis::ClientId> closed_;
};

}  // namespace interlock::testing
