// SPDX-License-Identifier: MIT
//
// What clients are told and cannot be true, on histories written by hand: each rule is broken once,
// and once kept so narrowly that a careless rule would raise a false alarm.
#include "scenarios/judge/outside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/scenarios/run/processes/story.h"

namespace interlock::scenarios::real {
namespace {

OutsideRules Rules() {
  OutsideRules rules;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {}};
  return rules;
}

bool Convicts(const Story& story, Judged property, const OutsideRules& rules = Rules(),
              std::int64_t end = 5000) {
  return JudgeTold(story.Told(end), rules).Find(property) != nullptr;
}

TEST(ClaimsTest, AReleaseOfALeaseThatIsOverReleasesNothing) {
  // Granted at 1 at the latest: over at 104, the server's unit and the drift included.
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_FALSE(Convicts(Story(held).Release(0, 104, 110), Judged::kForeignRelease));
  EXPECT_TRUE(Convicts(Story(held).Release(0, 105, 110), Judged::kForeignRelease));
  EXPECT_FALSE(
      Convicts(Story(held).Release(0, 105, 110, StatusCode::kNotOwner), Judged::kForeignRelease));
}

TEST(ClaimsTest, AnExtensionMovesTheEndAndAnUnknownOneLeavesItOpen) {
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_FALSE(
      Convicts(Story(held).Extend(0, 50, 60, 149).Release(0, 150, 151), Judged::kForeignRelease));
  EXPECT_TRUE(
      Convicts(Story(held).Extend(0, 50, 60, 149).Release(0, 170, 171), Judged::kForeignRelease));
  EXPECT_FALSE(
      Convicts(Story(held).Extend(0, 50, 60, 99, StatusCode::kUnknownOutcome).Release(0, 300, 301),
               Judged::kForeignRelease));
}

TEST(ClaimsTest, WhoIsNotTheOwnerAnyMoreWhileTheLeaseRunsWasRobbed) {
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_TRUE(
      Convicts(Story(held).Release(0, 50, 51, StatusCode::kNotOwner), Judged::kForeignRelease));
  // At 99 of 100 ms it may be the server's clock.
  EXPECT_FALSE(
      Convicts(Story(held).Release(0, 50, 99, StatusCode::kNotOwner), Judged::kForeignRelease));
}

TEST(ClaimsTest, AnExtensionOfALeaseThatIsOverMakesItAnew) {
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_FALSE(Convicts(Story(held).Extend(0, 104, 106, 203), Judged::kForeignExtend));
  EXPECT_TRUE(Convicts(Story(held).Extend(0, 105, 106, 203), Judged::kForeignExtend));
  EXPECT_FALSE(Convicts(Story(held).Extend(0, 105, 106, 99, StatusCode::kLeaseLost),
                        Judged::kForeignExtend));
}

TEST(ClaimsTest, EndsAreOpenWhereSomethingMayBeHeldBackOrRenewed) {
  const Story late = Story().Ask(0, 0).Granted(0, 1, 99).Release(0, 150, 151);
  OutsideRules held_back = Rules();
  held_back.servers_answered = false;
  EXPECT_FALSE(Convicts(late, Judged::kForeignRelease, held_back));
  OutsideRules renewed = Rules();
  renewed.traits.renews = true;
  EXPECT_FALSE(Convicts(late, Judged::kForeignRelease, renewed));
  OutsideRules disturbed = Rules();
  disturbed.disturbed = "the machine stood still";
  EXPECT_FALSE(Convicts(late, Judged::kForeignRelease, disturbed));
  EXPECT_EQ(JudgeTold(late.Told(), disturbed).undecided[Judged::kForeignRelease],
            "the machine stood still");
}

TEST(ClaimsTest, FencingTokensGrowWithRequestsThatFollowEachOther) {
  const Story first = Story().Ask(0, 0).Granted(0, 10, 99).Tokens("t1", 7).Release(0, 20, 21);
  EXPECT_TRUE(
      Convicts(Story(first).Ask(1, 30).Granted(1, 31, 130).Tokens("t2", 7), Judged::kTokens));
  EXPECT_FALSE(
      Convicts(Story(first).Ask(1, 30).Granted(1, 31, 130).Tokens("t2", 8), Judged::kTokens));
  // Asked before the first was told of its grant: which came first nobody knows.
  EXPECT_FALSE(
      Convicts(Story(first).Ask(1, 9).Granted(1, 31, 130).Tokens("t2", 6), Judged::kTokens));
}

TEST(ClaimsTest, AnOwnerTokenServesOneGrant) {
  const Story first = Story().Ask(0, 0).Granted(0, 10, 99).Tokens("t1", 0).Release(0, 20, 21);
  EXPECT_TRUE(
      Convicts(Story(first).Ask(1, 30).Granted(1, 31, 130).Tokens("t1", 0), Judged::kTokens));
  EXPECT_FALSE(
      Convicts(Story(first).Ask(1, 30).Granted(1, 31, 130).Tokens("", 0), Judged::kTokens));
}

TEST(ClaimsTest, AGrantThatCameTooLateIsNotValid) {
  // Sent at 10 for 100 ms: over at 111.
  const Story asked = Story().Ask(0, 0);
  EXPECT_TRUE(Convicts(Story(asked).Granted(0, 120, 219).Sent(10), Judged::kFalseValidity));
  EXPECT_FALSE(Convicts(Story(asked).Granted(0, 111, 210).Sent(10), Judged::kFalseValidity));
  EXPECT_FALSE(Convicts(Story(asked).Granted(0, 120, 109).Sent(10), Judged::kFalseValidity))
      << "it knows that nothing is left";
  // Who waits may be handed what another client's command has granted.
  EXPECT_FALSE(Convicts(Story().Ask(0, 0, Ask::kWait).Granted(0, 120, 219).Sent(10),
                        Judged::kFalseValidity));
}

TEST(ClaimsTest, WhatIsOverIsNotCalledValid) {
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_TRUE(Convicts(Story(held).AskedValid(0, 99, 99, true), Judged::kFalseValidity));
  EXPECT_FALSE(Convicts(Story(held).AskedValid(0, 98, 99, true), Judged::kFalseValidity));
  EXPECT_FALSE(Convicts(Story(held).AskedValid(0, 120, 99, false), Judged::kFalseValidity));
}

TEST(ClaimsTest, WhoIsAloneIsNotRefused) {
  const Story alone = Story().Turn(1, 0, 1, 30).Ask(0, 32).Refused(0, 33);
  EXPECT_TRUE(Convicts(alone, Judged::kSpuriousRefusal));
  OutsideRules faults = Rules();
  faults.calm = false;
  EXPECT_FALSE(Convicts(alone, Judged::kSpuriousRefusal, faults));
  EXPECT_FALSE(Convicts(Story().Ask(1, 0).Ask(0, 1).Refused(0, 2), Judged::kSpuriousRefusal));
}

TEST(ClaimsTest, AWaitDoesNotEndLongBeforeItsTime) {
  const auto waits = [](std::int64_t answered) {
    return Story().Ask(0, 0, Ask::kWaitFor, 500).Refused(0, answered, StatusCode::kTimeout);
  };
  EXPECT_TRUE(Convicts(waits(300), Judged::kSpuriousRefusal));
  EXPECT_FALSE(Convicts(waits(400), Judged::kSpuriousRefusal)) << "another look was not due";
}

TEST(ClaimsTest, AWaitEndsInTimeAndAMachinesSecond) {
  // 500 ms, and a quarter of the lease, are the lock's; a second is the machine's.
  const auto waits = [](std::int64_t answered) {
    return Story().Ask(0, 0, Ask::kWaitFor, 100).Refused(0, answered, StatusCode::kTimeout);
  };
  EXPECT_FALSE(Convicts(waits(1625), Judged::kTermination));
  EXPECT_TRUE(Convicts(waits(1626), Judged::kTermination));
  OutsideRules disturbed = Rules();
  disturbed.disturbed = "the machine stood still";
  EXPECT_FALSE(Convicts(waits(1626), Judged::kTermination, disturbed));
}

TEST(ClaimsTest, AWaiterDoesNotFloodTheServer) {
  OutsideRules rules = Rules();
  rules.commands_per_lease = 10;
  const auto sends = [](std::uint64_t commands) {
    return Story()
        .Ask(0, 0, Ask::kWaitFor, 150)
        .Refused(0, 150, StatusCode::kTimeout)
        .Commands(commands);
  };
  EXPECT_FALSE(Convicts(sends(20), Judged::kTermination, rules));
  EXPECT_TRUE(Convicts(sends(21), Judged::kTermination, rules));
}

TEST(ClaimsTest, SaysWhatWasPutToTheTest) {
  const Story late = Story()
                         .Ask(0, 0)
                         .Granted(0, 1, 99)
                         .Ask(1, 50, Ask::kWait)
                         .Granted(1, 103, 200)
                         .Extend(0, 110, 111, 99, StatusCode::kLeaseLost)
                         .AskedValid(0, 112, 99, false)
                         .Release(0, 120, 121, StatusCode::kNotOwner)
                         .Release(1, 150, 151);
  const OutsideVerdict verdict = JudgeTold(late.Told(), Rules());
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_TRUE(verdict.exercised[Judged::kForeignRelease]);
  EXPECT_TRUE(verdict.exercised[Judged::kForeignExtend]);
  EXPECT_TRUE(verdict.exercised[Judged::kFalseValidity]);
  OutsideRules held_back = Rules();
  held_back.servers_answered = false;
  EXPECT_FALSE(JudgeTold(late.Told(), held_back).exercised[Judged::kForeignRelease]);
}

}  // namespace
}  // namespace interlock::scenarios::real
