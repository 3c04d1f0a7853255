// SPDX-License-Identifier: MIT
#include "scenarios/drive/holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kEpochMs = 1'700'000'000'000;

/// Three clients at one server, and a judge who watches.
class HoldsTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  HoldsTest() : HoldsTest("") {}
  explicit HoldsTest(const std::string& pattern) : holds_(3, pattern, 1) {
    server_.SetSink(this);
    server_.SetTime(kEpochMs * 1'000);
    server_.Start();
    id_ = server_.Connect();
  }

  void Send(int client, const sim::redis::Argv& argv) {
    holds_.Expired(0, server_, now_ms_);
    server_.Execute(id_, argv);
    holds_.After(client, 0, argv, server_, now_ms_);
  }

  void Pass(std::int64_t ms) {
    now_ms_ += ms;
    server_.SetTime(now_ms_ * 1'000);
    holds_.Expired(0, server_, now_ms_);
  }

  std::vector<std::string> Found() const {
    std::vector<std::string> slugs;
    for (const Finding& finding : holds_.findings()) slugs.push_back(finding.slug);
    return slugs;
  }

  sim::redis::Server server_;
  Holds holds_;
  std::int64_t now_ms_ = kEpochMs;

 private:
  void OnReply(sim::redis::ClientId /*client*/, const sim::redis::Value& /*value*/) override {}
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  sim::redis::ClientId id_ = 0;
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
  holds_.Ended(0);
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

TEST_F(HoldsTest, AValueThatIsATimeGonePastIsALeaseThatHasEnded) {
  const auto seconds = [this](std::int64_t ms) {
    return std::to_string(now_ms_ / 1'000 + ms / 1'000);
  };
  Send(0, {"SETNX", "k", seconds(10'000)});
  EXPECT_TRUE(holds_.WaitsForATime(now_ms_));
  Pass(20'000);
  Send(1, {"GETSET", "k", seconds(10'000)});
  EXPECT_THAT(Found(), IsEmpty());
  Send(2, {"GETSET", "k", seconds(20'000)});
  EXPECT_THAT(Found(), ElementsAre("server-exclusion"));
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
  EXPECT_EQ(holds_.NextEndMs(), now_ms_ + 500);
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

TEST_F(HoldsTest, TwoInOneSectionAreOneTooMany) {
  holds_.Enter(0, "s");
  holds_.Enter(1, "other");
  EXPECT_THAT(Found(), IsEmpty());
  holds_.Enter(1, "s");
  EXPECT_THAT(Found(), ElementsAre("section-exclusion"));
}

TEST_F(HoldsTest, NotIfAFaultHasLedTimePastALease) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Enter(0, "s");
  holds_.SetByForce(true);
  Pass(501);
  holds_.SetByForce(false);
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  holds_.Enter(1, "s");
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, ButIfTheLeaseHasRunOutByItself) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Enter(0, "s");
  Pass(501);
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  holds_.Enter(1, "s");
  EXPECT_THAT(Found(), ElementsAre("section-exclusion"));
}

TEST_F(HoldsTest, WhoHasTheLockAnewIsExcusedNoMore) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.SetByForce(true);
  Pass(501);
  holds_.SetByForce(false);
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Enter(0, "s");
  holds_.Enter(1, "s");
  EXPECT_THAT(Found(), ElementsAre("section-exclusion"));
}

TEST_F(HoldsTest, TheDeadAreInNoSection) {
  holds_.Enter(0, "s");
  holds_.Ended(0);
  holds_.Enter(1, "s");
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_EQ(holds_.most_entrants(), 2U);
}

}  // namespace
}  // namespace interlock::scenarios::drive
