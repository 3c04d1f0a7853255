// SPDX-License-Identifier: MIT
//
// Whose lock it is that the commands of foreign clients make, prolong and remove, and until when.
#include "scenarios/run/foreign/holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/run/foreign/holds_fixture.h"

namespace interlock::scenarios::drive {
namespace {

using Kind = HoldChange::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(HoldsTest, WhoRemovesItsOwnLockIsInnocent) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_TRUE(holds_.Owns(1));
  EXPECT_EQ(holds_.most_owners(), 2U);
}

TEST_F(HoldsTest, WhoRemovesAnothersLockIsNot) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  Pass(501);
  Send(1, {"SET", "k", "1", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, NorWhoRemovesADeadOnesLock) {
  Send(0, {"SETNX", "k", "1"});
  holds_.Ended(0, ClientExit::kKilled);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, TakingAHeldLockIsAGrantTooMany) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  Send(1, {"SET", "k", "1", "PX", "500"});
  EXPECT_THAT(Found(), ElementsAre("server-exclusion"));
}

// Some keep the key, and say in it that nobody holds it.
TEST_F(HoldsTest, AMarkInPlaceOfItsOwnTokenIsARelease) {
  for (const std::string mark : {"", "free", "0"}) {
    Send(0, {"DEL", "k"});
    Send(0, {"SET", "k", "token of A", "NX", "PX", "500"});
    Send(1, {"SET", "k", "token of B", "NX", "PX", "500"});
    Send(0, {"SET", "k", mark, "KEEPTTL"});
    EXPECT_FALSE(holds_.Owns(0));
    Send(1, {"SET", "k", "token of B", "PX", "500"});
    EXPECT_TRUE(holds_.Owns(1));
    EXPECT_THAT(Found(), IsEmpty()) << mark;
    Send(1, {"DEL", "k"});
  }
  Send(0, {"SET", "k", "token of A", "NX", "PX", "500"});
  Send(1, {"SET", "k", "free"});
  EXPECT_THAT(Found(), ElementsAre("server-exclusion"));
}

TEST_F(HoldsTest, AFieldThatIsMarkedAsFreeIsTakenByTheNext) {
  Send(0, {"HSETNX", "k", "owner", "token of A"});
  Send(1, {"HSETNX", "k", "owner", "token of B"});
  Send(0, {"HSET", "k", "owner", ""});
  Send(1, {"HSET", "k", "owner", "token of B"});
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_TRUE(holds_.Owns(1));
  Send(0, {"HSET", "k", "owner", "token of A"});
  EXPECT_THAT(Found(), ElementsAre("server-exclusion"));
}

TEST_F(HoldsTest, ProlongingAnothersLockIsForeign) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"PEXPIRE", "k", "800"});
  EXPECT_THAT(Found(), IsEmpty());
  Send(1, {"PEXPIRE", "k", "900"});
  EXPECT_THAT(Found(), ElementsAre("foreign-extend"));
}

TEST_F(HoldsTest, ALockMayBeHandedToWhoHasAskedForIt) {
  Send(0, {"SET", "k", "token-of-a", "NX", "PX", "500"});
  Send(1, {"RPUSH", "queue", "token-of-b"});
  Send(0, {"SET", "k", "token-of-b", "PX", "500"});
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, AWordThatTwoClientsSendIsNoHandOver) {
  const std::string same = R"({"lockedSince":"2027-01-15T08:00:00.000Z"})";
  Send(0, {"SETNX", "k", same});
  Send(0, {"DEL", "k"});
  Send(1, {"SETNX", "k", same});
  EXPECT_TRUE(holds_.Owns(1));
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), IsEmpty());
  Send(1, {"SETNX", "k", same});
  Send(0, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, AValueThatIsATimeIsTheEndOfALease) {
  Send(0, {"SETNX", "k", InSeconds(10'000)});
  EXPECT_EQ(EndMs(), 10'000);
  Pass(5'000);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, OnceItHasPassedTheLockMayBeTaken) {
  Send(0, {"SETNX", "k", InMs(10'000)});
  Pass(20'000);
  EXPECT_EQ(EndMs(), -1);
  Send(1, {"GETSET", "k", InMs(10'000)});
  Pass(1);
  // This one learns that it is too late, and has done no harm but to put off the end.
  Send(2, {"GETSET", "k", InMs(10'000)});
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_TRUE(holds_.Owns(1));
  Send(0, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, ATimeMayStandBesideAToken) {
  Send(0, {"SETNX", "k", "worker-7:" + InMs(3'000)});
  EXPECT_EQ(EndMs(), 3'000);
}

TEST_F(HoldsTest, OfATimeOfItsGrantNobodyKnowsHowLongItHolds) {
  Send(0, {"SETNX", "k", InSeconds(0)});
  Pass(5'000);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, ButNotIfTheKeyHasATtl) {
  Send(0, {"SET", "k", std::to_string(now_ms_), "NX", "PX", "500"});
  Pass(100);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, MembersOfASortedSetEndByTheirScores) {
  Send(0, {"ZADD", "z", InMs(700), "member-a"});
  Send(1, {"ZADD", "z", InMs(900), "member-b"});
  EXPECT_EQ(EndMs(), 700);
  // What is a time of grant holds for as long as others leave it there.
  Send(2, {"ZREMRANGEBYSCORE", "y", "-inf", InMs(-400)});
  Send(2, {"ZADD", "y", InMs(0), "member-c"});
  EXPECT_EQ(EndMs(), 400);
}

TEST_F(HoldsTest, OthersDoNotPutOffTheEndOfAMember) {
  Send(0, {"ZADD", "z", "1", "member-a"});
  Send(0, {"PEXPIRE", "z", "500"});
  Send(1, {"ZADD", "z", "2", "member-b"});
  Pass(100);
  Send(1, {"PEXPIRE", "z", "500"});
  EXPECT_EQ(holds_.NextEnd({true, false, false})->ms, now_ms_ + 400);
  EXPECT_EQ(holds_.NextEnd({false, true, false})->ms, now_ms_ + 500);
}

TEST_F(HoldsTest, AScriptCountsByWhatItDoes) {
  const std::string acquire = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 500)";
  Send(0, {"EVAL", acquire, "1", "k", "token-of-a"});
  EXPECT_TRUE(holds_.Owns(0));
  Send(1, {"EVAL", acquire, "1", "k", "token-of-b"});
  Send(1, {"EVAL", "return redis.call('DEL', KEYS[1])", "1", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

class ScriptHoldsTest : public HoldsTest {
 protected:
  void ExpectTheFirstOwnsIt(const std::string& acquire) {
    EXPECT_TRUE(holds_.Owns(0));
    Send(1, {"EVAL", acquire, "1", "k", "owner-two"});
    EXPECT_THAT(Found(), IsEmpty());
    Send(1, {"DEL", "k"});
    EXPECT_THAT(Found(), ElementsAre("foreign-release"));
  }
};

TEST_F(ScriptHoldsTest, AScriptThatLooksAndThenCreatesAsksForALock) {
  const std::string acquire =
      "if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], ARGV[1], 1) "
      "redis.call('PEXPIRE', KEYS[1], 500) end return redis.call('PTTL', KEYS[1])";
  Send(0, {"EVAL", acquire, "1", "k", "owner-one"});
  ExpectTheFirstOwnsIt(acquire);
}

TEST_F(ScriptHoldsTest, SoDoesOneThatCreatesACounterOfItsGrants) {
  const std::string acquire =
      "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then "
      "redis.call('HINCRBY', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], 500) return 1 end "
      "return 0";
  Send(0, {"EVAL", acquire, "1", "k", "owner-one"});
  Send(0, {"EVAL", acquire, "1", "k", "owner-one"});
  ExpectTheFirstOwnsIt(acquire);
}

TEST_F(HoldsTest, ATransactionToo) {
  Send(0, {"MULTI"});
  Send(0, {"SETNX", "k", "1"});
  Send(0, {"PEXPIRE", "k", "500"});
  Send(0, {"EXEC"});
  EXPECT_TRUE(holds_.Owns(0));
  EXPECT_EQ(EndMs(), 500);
}

TEST_F(HoldsTest, LocksMayLieInAnyDatabase) {
  Send(0, {"SET", "k", "first", "NX"});
  Send(0, {"SELECT", "5"});
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  EXPECT_EQ(EndMs(), 500);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
  EXPECT_TRUE(holds_.Owns(0)) << "the one in database 0";
}

TEST_F(HoldsTest, OtherDataAreNobodysLock) {
  Send(0, {"SET", "counter", "1"});
  Send(1, {"SET", "counter", "2"});
  Send(2, {"DEL", "counter"});
  EXPECT_THAT(Found(), IsEmpty());
}

class HoldsByPatternTest : public HoldsTest {
 protected:
  HoldsByPatternTest() : HoldsTest("lock:*") {}
};

TEST_F(HoldsByPatternTest, LocksAreKnownByTheirNames) {
  Send(0, {"HSET", "lock:a", "client-a", "1"});
  Send(1, {"DEL", "lock:a"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsByPatternTest, ReadersOfOneLockEachHaveAFieldOfItsKey) {
  Send(0, {"HSET", "lock:a", "reader-a", "1"});
  Send(0, {"PEXPIRE", "lock:a", "500"});
  Send(1, {"HSET", "lock:a", "reader-b", "1"});
  Pass(100);
  Send(1, {"PEXPIRE", "lock:a", "500"});
  EXPECT_THAT(Found(), IsEmpty());
  Send(2, {"PEXPIRE", "lock:a", "900"});
  EXPECT_THAT(Found(), ElementsAre("foreign-extend", "foreign-extend"));
  Send(1, {"HDEL", "lock:a", "reader-a"});
  EXPECT_EQ(Found().back(), "foreign-release");
}

TEST_F(HoldsByPatternTest, WhoeverIsRefusedHasCountedToo) {
  Send(0, {"INCR", "lock:a"});
  Send(1, {"INCR", "lock:a"});
  EXPECT_THAT(Found(), IsEmpty());
  Send(1, {"DEL", "lock:a"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsByPatternTest, AQueueIsNobodysLock) {
  Send(0, {"RPUSH", "lock:queue", "token"});
  Send(1, {"LPOP", "lock:queue"});
  Send(0, {"ZADD", "lock:waiters", "1", "waiter-a"});
  Send(1, {"ZREM", "lock:waiters", "waiter-a"});
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, WhatBecomesOfALockIsTold) {
  const auto told = [this] {
    std::vector<std::pair<Kind, int>> all;
    for (const HoldChange& one : holds_.TakeChanges()) all.emplace_back(one.kind, one.client);
    return all;
  };
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"SET", "no-lock", "a"});
  EXPECT_THAT(told(), ElementsAre(std::pair(Kind::kGranted, 0)));
  Send(0, {"PEXPIRE", "k", "600"});
  Send(1, {"PEXPIRE", "k", "700"});
  const HoldChanges moved = holds_.TakeChanges();
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].kind, Kind::kEndMoved);
  EXPECT_TRUE(moved[0].by_owner);
  EXPECT_EQ(moved[0].end_ms, now_ms_ + 600);
  EXPECT_FALSE(moved[1].by_owner);
  Pass(701);
  EXPECT_THAT(told(), ElementsAre(std::pair(Kind::kExpired, 0)));
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  EXPECT_THAT(told(), ElementsAre(std::pair(Kind::kGranted, 1), std::pair(Kind::kTaken, 1)));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  EXPECT_THAT(told(), ElementsAre(std::pair(Kind::kGranted, 0), std::pair(Kind::kGivenBack, 0)));
}

TEST_F(HoldsTest, AHashIsGivenBackWithItsLastField) {
  Send(0, {"HSETNX", "k", "owner", "a"});
  Send(0, {"HSETNX", "k", "count", "1"});
  Send(0, {"HDEL", "k", "count"});
  const HoldChanges held = holds_.TakeChanges();
  EXPECT_EQ(std::ranges::count(held, HoldChange::Kind::kGivenBack, &HoldChange::kind), 0);
  Send(0, {"DEL", "k"});
  const HoldChanges all = holds_.TakeChanges();
  EXPECT_EQ(std::ranges::count(all, HoldChange::Kind::kGivenBack, &HoldChange::kind), 1);
}

}  // namespace
}  // namespace interlock::scenarios::drive
