// SPDX-License-Identifier: MIT
//
// What the tests of faults of servers and of shards share: a client that has written a key when the
// fault strikes, and what it is answered afterwards, in one word or more.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "sim/faults.h"
#include "tests/sim/world_fixture.h"

namespace interlock::sim {

/// The step of client 0 right after its first write.
inline constexpr int kStep = 4;

/// What one command is answered; "broken" without an answer.
inline std::string Ask(Connection& connection, std::initializer_list<std::string_view> argv,
                       MonotonicTime deadline = kNever) {
  const Result<Reply> reply = Call(connection, argv, deadline);
  if (!reply.ok()) return "broken";
  if (reply->type == Reply::Type::kNil) return "nil";
  if (reply->type == Reply::Type::kInteger) return std::to_string(reply->integer);
  return reply->text;
}

/// The same on a new connection to the node; "refused" without one.
inline std::string AskNode(Bench& bench, int node, std::initializer_list<std::string_view> argv) {
  const auto connection = bench.Connect(0, node);
  return connection == nullptr ? "refused" : Ask(*connection, argv);
}

/// Client 0, of several, connects to the node, or the primary, and writes k, meets the faults, and
/// does the rest.
inline void RunWith(FaultPlan faults, const WorldOptions& options,
                    const std::function<void(Bench&, Connection&)>& rest, int clients = 1,
                    std::optional<int> node = std::nullopt) {
  Bench bench(clients, std::move(faults), options);
  bool done = false;
  bench.world->Start(0, [&] {
    const auto connection = node ? bench.Connect(0, *node) : bench.Connect(0);  // Step 0.
    ASSERT_EQ(Ask(*connection, {"SET", "k", "v", "PX", "60000"}), "OK");
    bench.world->Step(0);
    rest(bench, *connection);
    done = true;
  });
  bench.world->Run(kHorizon);
  EXPECT_TRUE(done);
}

}  // namespace interlock::sim
