// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/server.h"
#include "sim/redis/watcher.h"

namespace interlock::scenarios::drive {
namespace {

using Kind = HoldChange::Kind;

constexpr std::int64_t kEpochMs = 1'700'000'000'000;

/// Three clients at one server, and a judge who watches.
class HoldsTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  HoldsTest() : HoldsTest("") {}
  explicit HoldsTest(const std::string& pattern) : holds_(3, pattern, 2, findings_) {
    server_.SetSink(this);
    sim::redis::SetWatcher(
        server_, [this](sim::redis::ClientId /*client*/, const sim::redis::Argv& argv,
                        const sim::redis::Value& /*reply*/) { effects_.push_back(argv); });
    server_.SetTime(kEpochMs * 1'000);
    server_.Start();
    id_ = server_.Connect();
  }

  void Send(int client, const sim::redis::Argv& argv) {
    holds_.Expired(0, HeldDataOf(0, server_), now_ms_);
    effects_.clear();
    server_.Execute(id_, argv);
    holds_.After(client, 0, argv, effects_, HeldDataOf(0, server_), now_ms_);
  }

  void Pass(std::int64_t ms) {
    now_ms_ += ms;
    server_.SetTime(now_ms_ * 1'000);
    holds_.Expired(0, HeldDataOf(0, server_), now_ms_);
  }

  std::vector<std::string> Found() const {
    std::vector<std::string> slugs;
    for (const Finding& finding : findings_) slugs.push_back(finding.slug);
    return slugs;
  }

  std::string InSeconds(std::int64_t ms) const { return std::to_string((now_ms_ + ms) / 1'000); }
  std::string InMs(std::int64_t ms) const { return std::to_string(now_ms_ + ms); }

  std::int64_t EndMs() const { return holds_.NextEnd() ? holds_.NextEnd()->ms - now_ms_ : -1; }

  sim::redis::Server server_;
  Findings findings_;
  Holds holds_;
  std::int64_t now_ms_ = kEpochMs;

 private:
  void OnReply(sim::redis::ClientId /*client*/, sim::redis::Value& /*value*/) override {}
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  sim::redis::ClientId id_ = 0;
  std::vector<sim::redis::Argv> effects_;
};

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

TEST_F(HoldsTest, AScriptThatLooksAndThenCreatesAsksForALock) {
  const std::string acquire =
      "if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], ARGV[1], 1) "
      "redis.call('PEXPIRE', KEYS[1], 500) end return redis.call('PTTL', KEYS[1])";
  Send(0, {"EVAL", acquire, "1", "k", "owner-one"});
  EXPECT_TRUE(holds_.Owns(0));
  Send(1, {"EVAL", acquire, "1", "k", "owner-two"});
  EXPECT_THAT(Found(), IsEmpty());
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
}

TEST_F(HoldsTest, ATransactionToo) {
  Send(0, {"MULTI"});
  Send(0, {"SETNX", "k", "1"});
  Send(0, {"PEXPIRE", "k", "500"});
  Send(0, {"EXEC"});
  EXPECT_TRUE(holds_.Owns(0));
  EXPECT_EQ(EndMs(), 500);
}

TEST_F(HoldsTest, WhatSomebodyKilledLeavesForEverIsLeft) {
  Send(0, {"SETNX", "k", "1"});
  holds_.Ended(1, ClientExit::kByItself);
  holds_.Ended(0, ClientExit::kKilled);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, SoIsWhatSomebodyForgetsThatKeepsOthersOut) {
  Send(0, {"SETNX", "k", "1"});
  Send(1, {"SETNX", "k", "1"});
  Send(1, {"SETNX", "k", "1"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.Ended(1, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, AndWhatItHasReleasedBefore) {
  Send(0, {"SETNX", "k", "1"});
  Send(0, {"DEL", "k"});
  Send(0, {"SETNX", "k", "1"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, ButNotAFlagThatKeepsNobodyOut) {
  Send(0, {"SETNX", "prepared", "1"});
  Send(1, {"SETNX", "prepared", "1"});
  Send(1, {"LPUSH", "tokens", "1"});
  Send(1, {"SETNX", "prepared", "1"});
  holds_.Ended(0, ClientExit::kKilled);
  holds_.Ended(1, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, AnEndThatOthersPutOffNeverComes) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  holds_.Ended(0, ClientExit::kByItself);
  for (int i = 0; i < 30; ++i) {
    Pass(10);
    Send(1, {"SET", "k", "1", "NX", "PX", "500"});
    Send(1, {"PEXPIRE", "k", "500"});
  }
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty()) << "when all have ended, nobody puts it off any more";
  holds_.LeftBehind(false);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, NotWhatEnds) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  Send(0, {"SETNX", "l", InSeconds(500'000)});
  Send(0, {"SET", "data", "1"});
  holds_.Ended(0, ClientExit::kKilled);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, ButNotIfTheKeyHasATtl) {
  Send(0, {"SET", "k", std::to_string(now_ms_), "NX", "PX", "500"});
  Pass(100);
  Send(1, {"DEL", "k"});
  EXPECT_THAT(Found(), ElementsAre("foreign-release"));
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

TEST_F(HoldsTest, WhoseLeaseAFaultHasLedTimePastIsExcused) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(1, {"SETNX", "l", InMs(600)});
  holds_.SetByForce(true);
  Pass(501);
  EXPECT_THAT(holds_.excused(), ElementsAre(true, false, false));
  Pass(501);
  holds_.SetByForce(false);
  EXPECT_THAT(holds_.excused(), ElementsAre(true, true, false));
}

TEST_F(HoldsTest, NotIfItHasRunOutByItself) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Pass(501);
  EXPECT_THAT(holds_.excused(), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhoHasTheLockAnewIsExcusedNoMore) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.SetByForce(true);
  Pass(501);
  holds_.SetByForce(false);
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  EXPECT_THAT(holds_.excused(), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhoEndsUndisturbedHasToReleaseWhatOthersRelease) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  holds_.Ended(1, ClientExit::kUndisturbed);
  Pass(501);
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.LeftBehind(false);
  EXPECT_THAT(Found(), IsEmpty());
  holds_.LeftBehind(true);
  ASSERT_THAT(Found(), ElementsAre("keys"));
  EXPECT_EQ(
      findings_.front().sentence,
      "k is left until its lease ends: C2, which held it, has ended without a release, though "
      "no fault had met it");
}

TEST_F(HoldsTest, ALeaseThatIsMeantToRunOutMayBeLeft) {
  Send(0, {"SET", "once-a-minute", "a", "NX", "PX", "500"});
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"PEXPIRE", "k", "100"});
  Send(0, {"SET", "other", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "other"});
  Send(0, {"SET", "other", "a", "NX", "PX", "500"});
  Send(0, {"SET", "other", "cooling down", "XX", "PX", "500"});
  holds_.Ended(0, ClientExit::kUndisturbed);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, WhoWasDelayedIsExcusedIfThatLeaseRunsOut) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Delayed(1);
  Pass(501);
  EXPECT_THAT(holds_.excused(), ElementsAre(false, false, false));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Delayed(0);
  Send(0, {"PEXPIRE", "k", "600"});
  Pass(601);
  EXPECT_THAT(holds_.excused(), ElementsAre(true, false, false));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  EXPECT_THAT(holds_.excused(), ElementsAre(false, false, false));
  Pass(501);
  EXPECT_THAT(holds_.excused(), ElementsAre(false, false, false));
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
