// SPDX-License-Identifier: MIT
//
// Choices that Redis makes at random are the caller's, or a fixed sequence.
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class RandomTest : public FakeTest {};

TEST_F(RandomTest, RandomKeyIsTheCallersChoice) {
  for (const char* key : {"a", "b", "c"}) Run({"SET", key, "v"});
  std::uint64_t bound = 0;
  std::uint64_t choice = 0;
  server_.SetRandom([&](std::uint64_t limit) {
    bound = limit;
    return choice;
  });
  EXPECT_EQ(Run({"RANDOMKEY"}), "\"a\"");
  EXPECT_EQ(bound, 3U);
  choice = 2;
  EXPECT_EQ(Run({"RANDOMKEY"}), "\"c\"");
}

TEST_F(RandomTest, MoreChoicesThanFitIntoMemoryAreRefusedByName) {
  server_.SetUnmodelledIsError(true);
  Run({"SADD", "s", "a"});
  Run({"HSET", "h", "a", "1"});
  Run({"ZADD", "z", "1", "a"});
  for (const Argv& argv :
       {Argv{"SRANDMEMBER", "s", "-2147483648"}, Argv{"HRANDFIELD", "h", "-20000000", "WITHVALUES"},
        Argv{"ZRANDMEMBER", "z", "-10000001"}}) {
    EXPECT_NE(Run(argv).find("a random choice of more than 10,000,000 members"), std::string::npos);
  }
  EXPECT_EQ(Run({"SRANDMEMBER", "none", "-9223372036854775807"}), "[]");
  EXPECT_EQ(Run({"SRANDMEMBER", "s", "9223372036854775807"}), "[\"a\"]");
}

TEST_F(RandomTest, WithoutACallerTheSequenceBeginsAnewWithReset) {
  std::string first;
  for (int round = 0; round < 2; ++round) {
    server_.Reset();
    client_ = server_.Connect();
    for (const char* key : {"a", "b", "c", "d", "e"}) Run({"SET", key, "v"});
    std::string drawn;
    for (int i = 0; i < 20; ++i) drawn += Run({"RANDOMKEY"});
    EXPECT_NE(drawn.find('a'), std::string::npos);
    if (round == 0) first = drawn;
    EXPECT_EQ(drawn, first);
  }
}

TEST_F(RandomTest, RandomKeyPassesOverExpiredKeysAndDeletesThem) {
  Run({"SET", "dead", "v", "PX", "10"});
  Run({"SET", "live", "v"});
  Advance(11);
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 2");
  std::uint64_t calls = 0;
  server_.SetRandom([&](std::uint64_t) { return calls++; });
  EXPECT_EQ(Run({"RANDOMKEY"}), "\"live\"");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
  Run({"DEL", "live"});
  EXPECT_EQ(Run({"RANDOMKEY"}), "(nil)");
}

TEST_F(RandomTest, SPopTakesTheChosenMemberAndDeletesAnEmptiedSet) {
  Run({"SADD", "s", "10", "20", "30"});
  server_.SetRandom([&](std::uint64_t) { return 1; });
  EXPECT_EQ(Run({"SPOP", "s"}), "\"20\"");
  EXPECT_EQ(Run({"SRANDMEMBER", "s"}), "\"30\"");
  EXPECT_EQ(Run({"SPOP", "s", "5"}), "[\"10\", \"30\"]");
  EXPECT_EQ(Run({"EXISTS", "s"}), "(integer) 0");
}

TEST_F(RandomTest, ACountGivesEachMemberOnceANegativeOneAnyNumberOfTimes) {
  for (int i = 0; i < 100; ++i) Run({"HSET", "h", std::to_string(i), "v"});
  server_.SetRandom([&](std::uint64_t) { return 7; });
  EXPECT_EQ(Run({"HRANDFIELD", "h", "-3"}), "[\"7\", \"7\", \"7\"]");
  server_.SetRandom([&](std::uint64_t bound) { return bound - 1; });
  EXPECT_EQ(Run({"HRANDFIELD", "h", "3"}), "[\"0\", \"1\", \"99\"]");
  EXPECT_EQ(Run({"HRANDFIELD", "h", "1", "WITHVALUES"}), "[\"99\", \"v\"]");
}

}  // namespace
}  // namespace interlock::sim::redis
