// SPDX-License-Identifier: MIT
//
// What the bit commands and SORT answer where the servers differ, and in a Cluster; each reply is
// what the real server of that version answers, or, for Redis 8.4, what its documentation says.
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class BitSortTest : public FakeTest {
 protected:
  void Speak(std::string_view name) { server_.SetDialect(*FindDialect(name)); }
  void BecomeCluster() {
    ClusterView view;
    view.nodes = {{std::string(40, 'a'), "127.0.0.1", 7001}};
    view.owner.SetRange(0, kSlots - 1, 0);
    server_.SetClusterView(view);
  }
};

using BitTest = BitSortTest;
using SortTest = BitSortTest;

constexpr const char* kNotANumber = "(error) ERR value is not an integer or out of range";

TEST_F(BitTest, NewerServersReadAllArgumentsBeforeTheyLookForTheKey) {
  EXPECT_EQ(Run({"BITCOUNT", "none", "a", "b"}), "(integer) 0");
  EXPECT_EQ(Run({"SET", "one", "a"}), "OK");
  EXPECT_EQ(Run({"BITCOUNT", "one", "-2", "-100", "no unit"}), "(integer) 0");
  EXPECT_EQ(Run({"BITPOS", "none", "1", "a"}), "(integer) -1");
  Speak("redis-8.0");
  EXPECT_EQ(Run({"BITCOUNT", "none", "a", "b"}), kNotANumber);
  EXPECT_EQ(Run({"BITPOS", "none", "1", "a"}), kNotANumber);
}

TEST_F(BitTest, ValkeyCountsToTheEndIfItIsToldTheStartOnly) {
  for (const char* name : {"redis-7.0", "redis-8.0", "valkey-8.1", "valkey-9.1"}) {
    Speak(name);
    Run({"SET", "k", "aa"});
    EXPECT_EQ(Run({"BITCOUNT", "k", "1"}), std::string_view(name).starts_with("valkey")
                                               ? "(integer) 3"
                                               : "(error) ERR syntax error");
  }
}

TEST_F(BitTest, Redis84HasMoreOperations) {
  EXPECT_EQ(Run({"BITOP", "ONE", "d", "a"}), "(error) ERR syntax error");
  Speak("redis-8.4");
  Run({"SET", "x", "\x0f"});
  Run({"SET", "y", "\x33"});
  Run({"SET", "z", "\x55"});
  const auto result = [this](const char* operation) {
    Run({"BITOP", operation, "d", "x", "y", "z"});
    return Run({"BITFIELD", "d", "GET", "u8", "0"});
  };
  EXPECT_EQ(result("DIFF"), "[8]");
  EXPECT_EQ(result("diff1"), "[112]");
  EXPECT_EQ(result("ANDOR"), "[7]");
  EXPECT_EQ(result("ONE"), "[104]");
}

TEST_F(BitTest, AFieldThatIsTooLargeForAnyStringIsRefused) {
  EXPECT_EQ(Run({"SETBIT", "k", "4294967296", "1"}),
            "(error) ERR bit offset is not an integer or out of range");
  EXPECT_EQ(Run({"BITFIELD", "k", "GET", "u8", "#-1"}),
            "(error) ERR bit offset is not an integer or out of range");
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
}

TEST_F(SortTest, ServersDifferInWhatIsANumber) {
  const auto sorted = [this](std::string_view dialect, const char* number) {
    Speak(dialect);
    Run({"DEL", "l"});
    Run({"RPUSH", "l", number});
    return Run({"SORT", "l"}).starts_with("[");
  };
  struct Case {
    const char* number;
    bool redis70, redis80, valkey81, valkey91;
  };
  for (const Case& one :
       {Case{"", true, true, true, false}, Case{" 5", true, false, true, false},
        Case{"0x10", true, false, true, false}, Case{"1e400", false, true, false, false},
        Case{"4e-324", false, true, false, true}, Case{"5 ", false, false, false, false},
        Case{"nan", false, false, false, false}}) {
    EXPECT_EQ(sorted("redis-7.0", one.number), one.redis70) << one.number;
    EXPECT_EQ(sorted("redis-8.0", one.number), one.redis80) << one.number;
    EXPECT_EQ(sorted("valkey-8.1", one.number), one.valkey81) << one.number;
    EXPECT_EQ(sorted("valkey-9.1", one.number), one.valkey91) << one.number;
  }
}

TEST_F(SortTest, ASetThatAScriptLeavesUnsortedIsSortedByItsTexts) {
  Run({"SADD", "s", "c", "10", "a", "b"});
  EXPECT_EQ(Eval("return redis.call('sort', KEYS[1], 'by', 'nosort', 'limit', 1, 2)", {"s"}),
            "[\"a\", \"b\"]");
}

TEST_F(SortTest, EqualWeightsInAPartOfALongResultAreNotModelled) {
  for (int i = 0; i < 7; ++i) Run({"RPUSH", "l", std::to_string(i)});
  EXPECT_EQ(Run({"SORT", "l", "BY", "w*", "LIMIT", "0", "1"}), "[\"0\"]");
  Run({"SORT", "l", "BY", "w*", "ALPHA", "LIMIT", "0", "1"});
  EXPECT_TRUE(server_.unmodelled());
}

// It makes a skiplist of the sorted set, in which Redis searches by random steps.
TEST_F(SortTest, MembersWhoseScoresDifferAreFoundByChanceAfterIt) {
  Run({"ZADD", "z", "1", "1", "2", "3", "3", "2"});
  EXPECT_EQ(Run({"ZRANGE", "z", "(3", "[", "BYLEX", "REV"}), "[\"2\", \"3\", \"1\"]");
  Run({"SORT", "z"});
  EXPECT_EQ(Run({"ZRANGE", "z", "(4", "[1", "BYLEX", "REV"}), "[\"2\", \"3\", \"1\"]");
  EXPECT_FALSE(server_.unmodelled());
  Run({"ZRANGE", "z", "(3", "[", "BYLEX", "REV"});
  EXPECT_TRUE(server_.unmodelled());
}

TEST_F(SortTest, Redis70TakesNoPatternInACluster) {
  BecomeCluster();
  Run({"RPUSH", "{a}l", "2", "1"});
  EXPECT_EQ(Run({"SORT", "{a}l", "BY", "{a}w*"}),
            "(error) ERR BY option of SORT denied in Cluster mode.");
  EXPECT_EQ(Run({"SORT", "{a}l", "GET", "#"}),
            "(error) ERR GET option of SORT denied in Cluster mode.");
  EXPECT_EQ(Run({"SORT", "{a}l", "BY", "nosort"}), "[\"2\", \"1\"]");
}

TEST_F(SortTest, NewerServersTakePatternsOfTheSameSlotInACluster) {
  Speak("valkey-8.1");
  BecomeCluster();
  Run({"RPUSH", "{a}l", "2", "1"});
  EXPECT_EQ(Run({"SORT", "{a}l", "BY", "w{a}*->f", "GET", "#", "GET", "a"}),
            "[\"1\", (nil), \"2\", (nil)]");
  for (const char* other : {"w*", "w*{a}", "{}{a}*", "{a*}", "x?{a}", "{b}*"}) {
    EXPECT_EQ(Run({"SORT", "{a}l", "GET", other}),
              "(error) ERR GET option of SORT denied in Cluster mode when keys formed by the "
              "pattern may be in different slots.")
        << other;
  }
}

}  // namespace
}  // namespace interlock::sim::redis
