// SPDX-License-Identifier: MIT
//
// What is read from a case's table before it is made again on real servers, and what there counts
// as the same.
#include "scenarios/run/foreign/real/case_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/foreign/real/case_likeness.h"
#include "scenarios/run/foreign/real/watched_server.h"

namespace interlock::scenarios::drive {
namespace {

using StepKind = CaseStep::Kind;
using reports::RowKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CaseStepsTest : public ::testing::Test {
 protected:
  CaseStepsTest() { example_.columns = {"C1", "C2", "redis"}; }

  void Row(std::size_t column, const std::string& text, RowKind kind = RowKind::kEvent) {
    reports::TableRow row;
    row.column = column;
    row.text = text;
    row.kind = kind;
    example_.rows.push_back(row);
  }
  std::vector<StepKind> Kinds() const {
    std::vector<StepKind> kinds;
    for (const CaseStep& step : CaseStepsOf(example_).steps) kinds.push_back(step.kind);
    return kinds;
  }

  reports::Counterexample example_;
};

TEST_F(CaseStepsTest, CommandsHaveTheirWordsAndReplies) {
  Row(0, "SET lock \"a b\" NX");
  Row(0, "= OK");
  Row(1, "INTERLOCK.ENTER stock");
  Row(1, "ended with exit code 1");
  Row(2, "LK003 section-exclusion", RowKind::kViolation);
  const auto steps = CaseStepsOf(example_).steps;
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_THAT(steps[0].argv, ElementsAre("SET", "lock", "a b", "NX"));
  EXPECT_EQ(steps[0].reply, "OK");
  EXPECT_EQ(steps[1].client, 1);
  EXPECT_EQ(steps[1].reply, std::nullopt);
  EXPECT_EQ(steps[2].kind, StepKind::kEnd);
}

TEST_F(CaseStepsTest, WhatWasFoldedIsMadeAsOftenAsItHappened) {
  Row(1, "GET x");
  for (int i = 0; i < 2; ++i) {
    Row(1, "SET lock 1 NX");
    Row(1, "= (nil)");
  }
  Row(1, "... and so 40 more times");
  Row(0, "DEL lock");
  const auto steps = CaseStepsOf(example_).steps;
  ASSERT_THAT(steps, SizeIs(1 + 42 + 1));
  EXPECT_THAT(steps[42].argv, ElementsAre("SET", "lock", "1", "NX"));
  EXPECT_EQ(steps[42].reply, "(nil)");
}

TEST_F(CaseStepsTest, FaultsStrikeTheCommandThatTheyStruck) {
  Row(0, "reset-after: the reply is lost", RowKind::kFault);
  Row(0, "SET lock 1 NX");
  Row(0, "= OK");
  Row(1, "GET lock");
  Row(1, "reset-before: it is not executed", RowKind::kFault);
  Row(1, "GET lock");
  Row(1, "= \"1\"");
  Row(1, "delay-reply: it is on its way", RowKind::kFault);
  Row(0, "DEL lock is on its way", RowKind::kFault);
  Row(1, "the reply arrives", RowKind::kFault);
  Row(0, "DEL lock");
  Row(0, "= (integer) 1");
  Row(0, "crash, before the reply", RowKind::kFault);
  const auto steps = CaseStepsOf(example_).steps;
  ASSERT_THAT(Kinds(), ElementsAre(StepKind::kCommand, StepKind::kCommand, StepKind::kCommand,
                                   StepKind::kHandOver, StepKind::kCommand));
  EXPECT_EQ(steps[0].outcome, Gate::Outcome::kReplyLost);
  EXPECT_FALSE(steps[0].crashes);
  EXPECT_EQ(steps[1].outcome, Gate::Outcome::kRequestLost);
  EXPECT_EQ(steps[2].outcome, Gate::Outcome::kReplyWithheld);
  EXPECT_EQ(steps[4].outcome, Gate::Outcome::kReplyLost);
  EXPECT_TRUE(steps[4].crashes);
}

TEST_F(CaseStepsTest, OnlyTheEndThatAFaultBroughtAboutIsForced) {
  Row(0, "pause, before DEL lock, until a key has expired", RowKind::kFault);
  Row(2, "lock expired");
  Row(0, "goes on", RowKind::kFault);
  Row(0, "GET lock");
  Row(2, "the time in other has passed");
  Row(0, "crash, before DEL lock", RowKind::kFault);
  const auto steps = CaseStepsOf(example_).steps;
  ASSERT_THAT(Kinds(), ElementsAre(StepKind::kStop, StepKind::kExpiry, StepKind::kGoOn,
                                   StepKind::kCommand, StepKind::kLapse, StepKind::kCrash));
  EXPECT_EQ(steps[1].key, "lock");
  EXPECT_TRUE(steps[1].forced);
  EXPECT_EQ(steps[4].key, "other");
  EXPECT_FALSE(steps[4].forced);
}

TEST_F(CaseStepsTest, AClockThatIsSetWrongAndAnUnknownFaultAreSaidToBeImpossible) {
  Row(0, "its clock is set 60s ahead", RowKind::kFault);
  EXPECT_THAT(CaseStepsOf(example_).impossible, HasSubstr("clock is set wrong"));
  example_.rows.clear();
  Row(0, "earthquake", RowKind::kFault);
  EXPECT_THAT(CaseStepsOf(example_).impossible, HasSubstr("\"earthquake\" is not known"));
}

TEST(CaseLikenessTest, ADrawnWordMayBeAnotherButAlwaysTheSameOne) {
  CaseLikeness alike;
  EXPECT_TRUE(alike.Commands({"SET", "lock", "token-aa"}, {"set", "lock", "token-bb"}));
  EXPECT_TRUE(alike.Replies({"GET", "lock"}, "\"token-aa\"", "\"token-bb\""));
  EXPECT_FALSE(alike.Replies({"GET", "lock"}, "\"token-aa\"", "\"token-cc\""));
  EXPECT_FALSE(alike.Commands({"DEL", "token-aa"}, {"DEL", "token-cc"}));
  EXPECT_FALSE(alike.Commands({"SET", "lock", "1"}, {"SET", "lock", "1", "NX"}));
  EXPECT_FALSE(alike.Commands({"SET", "lock", "1"}, {"GET", "lock", "1"}));
}

TEST(CaseLikenessTest, TimesMayDifferAndCountsMayNot) {
  const CaseLikeness alike;
  EXPECT_TRUE(alike.Replies({"PTTL", "lock"}, "(integer) 9", "(integer) 7"));
  EXPECT_TRUE(alike.Replies({"EVALSHA", "x"}, "(integer) 9980", "(integer) 10000"));
  EXPECT_FALSE(alike.Replies({"DEL", "lock"}, "(integer) 1", "(integer) 0"));
}

TEST(MonitorLineTest, SaysFromWhomAndWhat) {
  const auto line =
      ReadMonitorLine(R"(1339518083.107412 [0 127.0.0.1:60866] "set" "a \"b\"" "\x00]")");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->from, "127.0.0.1:60866");
  EXPECT_THAT(line->argv, ElementsAre("set", "a \"b\"", std::string("\0]", 2)));
  EXPECT_EQ(ReadMonitorLine(R"(1339518083.107412 [0 lua] "get" "k")")->from, "lua");
  EXPECT_FALSE(ReadMonitorLine("OK").has_value());
}

}  // namespace
}  // namespace interlock::scenarios::drive
