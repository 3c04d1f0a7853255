// SPDX-License-Identifier: MIT
//
// What an operator does to a server, each by what a client sees of it that has written a key.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/faults.h"
#include "tests/sim/server_fault_fixture.h"

namespace interlock::sim {
namespace {

TEST(AdminFaultTest, AnEvictionTakesTheKeyThatWouldExpireNext) {
  RunWith({Strikes(FaultKind::kEvict, {}, kStep + 6)}, Alone(), [](Bench& bench, Connection& c) {
    EXPECT_EQ(Ask(c, {"SET", "sooner", "1", "PX", "50000"}), "OK");
    EXPECT_EQ(Ask(c, {"SET", "never", "1"}), "OK");
    bench.world->Step(0);
    EXPECT_EQ(Ask(c, {"EXISTS", "k", "sooner", "never"}), "2");
    EXPECT_EQ(Ask(c, {"GET", "sooner"}), "nil");
  });
}

TEST(AdminFaultTest, OfKeysThatWouldExpireTogetherTheStepSaysWhichIsEvicted) {
  const auto left_after = [](int more_steps) {
    std::string left;
    RunWith({Strikes(FaultKind::kEvict, {}, kStep + 3 + more_steps)}, Alone(),
            [&](Bench& bench, Connection& c) {
              EXPECT_EQ(Ask(c, {"EVAL",
                                "redis.call('psetex', 'one', 50000, '1') "
                                "return redis.call('psetex', 'two', 50000, '2')",
                                "0"}),
                        "OK");
              for (int i = 0; i <= more_steps; ++i) bench.world->Step(0);
              left = Ask(c, {"GET", "one"}) + Ask(c, {"GET", "two"});
            });
    return left;
  };
  const std::set<std::string> seen{left_after(0), left_after(1)};
  EXPECT_EQ(seen, (std::set<std::string>{"1nil", "nil2"}));
}

TEST(AdminFaultTest, AnOperatorDeletesTheKeysOfTheDatabaseOrAll) {
  for (const FaultKind kind : {FaultKind::kAdminDel, FaultKind::kFlushAll}) {
    RunWith({Strikes(kind, {}, kStep + 9)}, Alone(), [kind](Bench& bench, Connection& c) {
      EXPECT_EQ(Ask(c, {"SELECT", "1"}), "OK");
      EXPECT_EQ(Ask(c, {"SET", "elsewhere", "1"}), "OK");
      EXPECT_EQ(Ask(c, {"SELECT", "0"}), "OK");
      bench.world->Step(0);
      EXPECT_EQ(Ask(c, {"DBSIZE"}), "0");
      EXPECT_EQ(Ask(c, {"SELECT", "1"}), "OK");
      EXPECT_EQ(Ask(c, {"DBSIZE"}), kind == FaultKind::kFlushAll ? "0" : "1");
    });
  }
}

TEST(AdminFaultTest, ScriptsMustBeSentAnewAfterScriptFlush) {
  RunWith({Strikes(FaultKind::kScriptFlush, {}, kStep + 3)}, Alone(),
          [](Bench& bench, Connection& c) {
            const std::string sha = Ask(c, {"SCRIPT", "LOAD", "return 7"});
            bench.world->Step(0);
            EXPECT_TRUE(Ask(c, {"EVALSHA", sha, "0"}).starts_with("NOSCRIPT"));
            EXPECT_EQ(Ask(c, {"GET", "k"}), "v");
          });
}

TEST(AdminFaultTest, ClientKillClosesTheConnectionOfTheClient) {
  RunWith({Strikes(FaultKind::kClientKill, {})}, Alone(), [](Bench& bench, Connection& c) {
    EXPECT_EQ(Ask(c, {"GET", "k"}), "broken");
    EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "v");
  });
}

}  // namespace
}  // namespace interlock::sim
