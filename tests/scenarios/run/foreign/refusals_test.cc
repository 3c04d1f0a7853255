// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/refusals.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scenarios::drive {
namespace {

/// Two clients at a semaphore that is a counter: INCR, and DECR if that was too much.
class RefusalsTest : public ::testing::Test {
 protected:
  void Count(int client, const std::string& name, const std::string& reply, bool free = false) {
    refusals_.Sent(client, {name, "permits"});
    refusals_.Answered(client, reply);
    refusals_.NoteFree(client, free);
  }
  void Enter(int client) {
    refusals_.Sent(client, {"INTERLOCK.ENTER", "stock"});
    refusals_.Entered(client);
  }

  Refusals refusals_{2};
};

TEST_F(RefusalsTest, AnotherAnswerThanTheGrantedGotIsARefusal) {
  Count(0, "INCR", "1");
  Enter(0);
  EXPECT_FALSE(refusals_.any());
  for (int i = 0; i < 3; ++i) {
    Count(1, "INCR", "2");
    Count(1, "DECR", "1");
  }
  EXPECT_TRUE(refusals_.any());
  EXPECT_TRUE(refusals_.Asks(1));
  EXPECT_FALSE(refusals_.Asks(0));
  EXPECT_EQ(refusals_.InARow(1), 3U);
  EXPECT_EQ(refusals_.InARow(0), 0U);
}

TEST_F(RefusalsTest, AScriptThatTheServerDoesNotKnowRefusesNobody) {
  Count(0, "EVALSHA", "1");
  Enter(0);
  for (int i = 0; i < 3; ++i) Count(1, "EVALSHA", "(error) NOSCRIPT No matching script.", true);
  EXPECT_FALSE(refusals_.any());
  EXPECT_EQ(refusals_.WhileFree(1), 0U);
}

TEST_F(RefusalsTest, TheAnswerOfTheGrantedIsNone) {
  Count(0, "GET", "settings");
  Count(0, "INCR", "1");
  Enter(0);
  for (int i = 0; i < 3; ++i) Count(1, "GET", "settings", true);
  EXPECT_FALSE(refusals_.any());
  EXPECT_EQ(refusals_.WhileFree(1), 0U);
}

TEST_F(RefusalsTest, WhoTriesInVainToGiveBackIsNotRefused) {
  for (int round = 0; round < 2; ++round) {
    Count(0, "INCR", "1");
    Enter(0);
    refusals_.Left(0);
    Count(0, "DECR", "0");
  }
  Count(1, "INCR", "1");
  Enter(1);
  refusals_.Left(1);
  for (int i = 0; i < 3; ++i) Count(1, "DECR", "-1", true);
  EXPECT_FALSE(refusals_.Asks(1));
  EXPECT_EQ(refusals_.WhileFree(1), 0U);
  EXPECT_EQ(refusals_.InARow(1), 0U);
}

TEST_F(RefusalsTest, OnlyThoseInARowCountThatMeetAFreeLock) {
  Count(0, "INCR", "1");
  Enter(0);
  Count(1, "INCR", "2", true);
  Count(1, "INCR", "2", false);
  Count(1, "INCR", "2", true);
  Count(1, "INCR", "2", true);
  EXPECT_EQ(refusals_.WhileFree(1), 2U);
  Enter(1);
  EXPECT_EQ(refusals_.WhileFree(1), 0U);
}

TEST_F(RefusalsTest, WhoeverHasToWaitForTheReplyHasMetTheHolder) {
  refusals_.Sent(1, {"BLPOP", "tokens", "0"});
  refusals_.Blocked(1);
  EXPECT_FALSE(refusals_.any()) << "it may be a queue of jobs";
  refusals_.Answered(1, "tokens 1");
  Enter(1);
  EXPECT_TRUE(refusals_.any());
}

TEST_F(RefusalsTest, WhoeverListensAsks) {
  refusals_.Sent(0, {"SUBSCRIBE", "released"});
  EXPECT_TRUE(refusals_.Asks(0));
}

}  // namespace
}  // namespace interlock::scenarios::drive
