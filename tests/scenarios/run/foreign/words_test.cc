// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReservedCommandsTest : public ::testing::Test {
 protected:
  std::string Answer(const sim::redis::Argv& argv, bool queued = false) {
    return sim::redis::ToText(AnswerTo(argv, queued, resources_));
  }
  GuardedResources resources_;
};

TEST_F(ReservedCommandsTest, AResourceRefusesTokensBelowTheLargestThatItHasSeen) {
  EXPECT_EQ(Answer({"INTERLOCK.WRITE", "stock", "7"}), "(integer) 1");
  EXPECT_EQ(Answer({"interlock.write", "stock", "7"}), "(integer) 1");
  EXPECT_EQ(Answer({"INTERLOCK.WRITE", "stock", "6"}), "(integer) 0");
  EXPECT_EQ(Answer({"INTERLOCK.WRITE", "other", "6"}), "(integer) 1");
  EXPECT_EQ(Answer({"INTERLOCK.WRITE", "stock", "9223372036854775807"}), "(integer) 1");
  EXPECT_EQ(Answer({"INTERLOCK.WRITE", "stock", "8"}), "(integer) 0");
}

TEST_F(ReservedCommandsTest, WhatIsNoTokenIsNamedAndChangesNothing) {
  for (const std::string token : {"", "x", "-1", "1.5", "9223372036854775808", "a\r\nb"}) {
    EXPECT_THAT(Answer({"INTERLOCK.WRITE", "stock", token}),
                StartsWith("(error) ERR '" + sim::redis::OneLine(token) +
                           "' is no fencing token: expected an integer from 0 to"));
  }
  EXPECT_TRUE(resources_.Accepts({"stock", 0}));
}

TEST_F(ReservedCommandsTest, WordsTooManyOrTooFewAreRefused) {
  for (const sim::redis::Argv& argv : {sim::redis::Argv{"INTERLOCK.WRITE", "stock"},
                                       {"INTERLOCK.WRITE", "stock", "1", "2"},
                                       {"INTERLOCK.ENTER"},
                                       {"INTERLOCK.LEAVE", "stock", "1"}}) {
    EXPECT_TRUE(IsReport(argv));
    EXPECT_THAT(Answer(argv), HasSubstr("wrong number of arguments for 'interlock."));
    EXPECT_FALSE(Writes(argv) || Enters(argv) || Leaves(argv));
  }
}

TEST_F(ReservedCommandsTest, AClientThatIsReadyIsAnswered) {
  EXPECT_EQ(Answer({"interlock.ready"}), "OK");
  EXPECT_TRUE(SaysReady({"interlock.ready"}));
  EXPECT_TRUE(IsReport({"interlock.ready"}));
  EXPECT_THAT(Answer({"INTERLOCK.READY", "now"}), HasSubstr("wrong number of arguments"));
}

TEST_F(ReservedCommandsTest, NoneIsQueued) {
  EXPECT_THAT(Answer({"INTERLOCK.WRITE", "stock", "1"}, true), HasSubstr("queued by MULTI"));
  EXPECT_THAT(Answer({"INTERLOCK.ENTER", "stock"}, true), HasSubstr("queued by MULTI"));
  EXPECT_TRUE(resources_.Accepts({"stock", 0}));
}

}  // namespace
}  // namespace interlock::scenarios::drive
