// SPDX-License-Identifier: MIT
//
// The rules of the check on a real server, on histories written by hand: each is broken once, and
// once kept so narrowly that a careless rule would raise a false alarm.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/judge/outside.h"
#include "tests/scenarios/run/processes/story.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

OutsideVerdict Judge(const History& history, const std::string& disturbed = "") {
  OutsideRules rules;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {{"p:{r}:fence", milliseconds(5000)}}};
  rules.disturbed = disturbed;
  return JudgeTold(history, rules);
}

TEST(OutsideTest, AcquitsTurnsThatFollowEachOther) {
  const OutsideVerdict verdict = Judge(Story().Turn(0, 0, 1, 30).Turn(1, 0, 31, 60).Told());
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_TRUE(verdict.exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(verdict.exercised[Judged::kSectionExclusion]);
  EXPECT_TRUE(verdict.goals.Has(Goal::kWaiterGranted));
}

OutsideVerdict JudgeLatchOfTwo(const History& history, const std::string& disturbed = "") {
  OutsideRules rules;
  rules.traits.kind = harness::Latch{};
  rules.parties = 2;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {}};
  rules.disturbed = disturbed;
  return JudgeTold(history, rules);
}

TEST(OutsideTest, ALatchOpensNoEarlierThanItsLastPartySaysSo) {
  const auto story = [](std::int64_t through) {
    return Story()
        .Ask(2, 0, Ask::kWait)
        .CountsDown(0, 1, 3)
        .CountsDown(1, 20, 22)
        .LetThrough(2, through);
  };
  const OutsideVerdict fine = JudgeLatchOfTwo(story(21).Told());
  EXPECT_TRUE(fine.violations.empty()) << "the server may have heard of it by then";
  EXPECT_TRUE(fine.exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(fine.exercised[Judged::kDeadlock]);
  EXPECT_NE(JudgeLatchOfTwo(story(19).Told()).Find(Judged::kServerExclusion), nullptr);
}

TEST(OutsideTest, ALatchThatStaysClosedIsConvictedUnlessTheMachineStoodStill) {
  const History history =
      Story().Ask(2, 0, Ask::kWait).CountsDown(0, 1, 3).CountsDown(1, 20, 22).Told(60'000);
  EXPECT_NE(JudgeLatchOfTwo(history).Find(Judged::kDeadlock), nullptr);
  const OutsideVerdict disturbed = JudgeLatchOfTwo(history, "the machine stood still");
  EXPECT_TRUE(disturbed.violations.empty());
  EXPECT_NE(disturbed.undecided[Judged::kDeadlock], "");
}

TEST(OutsideTest, WhatAServerMayHaveForgottenIsCountedAgainWhenAllIsWell) {
  OutsideRules rules;
  rules.traits.kind = harness::Latch{};
  rules.parties = 2;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {}};
  const Story counted =
      Story().Ask(2, 0, Ask::kWait).CountsDown(0, 1, 3).CountsDown(1, 20, 22).Dies(3, 30);
  EXPECT_NE(JudgeTold(counted.Told(60'000), rules).Find(Judged::kDeadlock), nullptr);
  rules.forgetful = true;
  EXPECT_EQ(JudgeTold(counted.Told(60'000), rules).Find(Judged::kDeadlock), nullptr);
  const Story again = Story(counted).CountsDown(0, 40, 42).CountsDown(1, 43, 44);
  EXPECT_NE(JudgeTold(again.Told(60'000), rules).Find(Judged::kDeadlock), nullptr);
}

TEST(OutsideTest, ConvictsTwoClientsThatBelieveAtOneTime) {
  const OutsideVerdict verdict =
      Judge(Story().Ask(0, 0).Granted(0, 1, 100).Ask(1, 40).Granted(1, 41, 140).Told());
  EXPECT_NE(verdict.Find(Judged::kBeliefExclusion), nullptr);
  EXPECT_EQ(verdict.Find(Judged::kSectionExclusion), nullptr);
}

TEST(OutsideTest, ReadersMayBelieveTogetherButNotBesideAWriter) {
  const auto two = [](bool both) {
    Story story;
    story.AskToRead(0, 0).Granted(0, 1, 100);
    (both ? story.AskToRead(1, 40) : story.Ask(1, 40)).Granted(1, 41, 140);
    return Judge(story.Told());
  };
  EXPECT_TRUE(two(true).violations.empty());
  EXPECT_NE(two(false).Find(Judged::kBeliefExclusion), nullptr);
  EXPECT_NE(two(false).Find(Judged::kServerExclusion), nullptr);
}

TEST(OutsideTest, CountsNoBeliefBeyondTheCallOfRelease) {
  // The second is granted before the first's release has returned: the server had let it in.
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 100)
                                           .Ask(1, 10, Ask::kWait)
                                           .Release(0, 50, 55)
                                           .Granted(1, 52, 150)
                                           .Told());
  EXPECT_TRUE(verdict.violations.empty());
}

TEST(OutsideTest, ConvictsTwoClientsInTheirSections) {
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 100)
                                           .Section(0, 2, 60)
                                           .Ask(1, 40)
                                           .Granted(1, 41, 140)
                                           .Section(1, 42, 80)
                                           .Told());
  EXPECT_NE(verdict.Find(Judged::kSectionExclusion), nullptr);
}

TEST(OutsideTest, LeavesALateLeaverUndecided) {
  // A busy machine woke the first late, after its validity; the second entered when it might.
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 99)
                                           .Section(0, 2, 120)
                                           .Ask(1, 90, Ask::kWait)
                                           .Granted(1, 105, 200)
                                           .Section(1, 106, 130)
                                           .Told());
  EXPECT_EQ(verdict.Find(Judged::kSectionExclusion), nullptr);
  EXPECT_FALSE(verdict.undecided[Judged::kSectionExclusion].empty());
}

TEST(OutsideTest, ConvictsTheServerOfTwoProvenHolds) {
  // Nobody believes any more; but both were told "released", so both had held until then.
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 10)
                                           .Ask(1, 20)
                                           .Granted(1, 21, 30)
                                           .Release(0, 60, 61)
                                           .Release(1, 70, 71)
                                           .Told());
  EXPECT_EQ(verdict.Find(Judged::kBeliefExclusion), nullptr);
  EXPECT_NE(verdict.Find(Judged::kServerExclusion), nullptr);
}

TEST(OutsideTest, ADeadHoldersPromiseGoesOnAtTheServer) {
  const Story dead = Story().Ask(0, 0).Granted(0, 1, 99).Dies(0, 10);
  EXPECT_NE(Judge(Story(dead).Ask(1, 20).Granted(1, 50, 140).Told()).Find(Judged::kServerExclusion),
            nullptr);
  EXPECT_TRUE(
      Judge(Story(dead).Ask(1, 20, Ask::kWait).Granted(1, 101, 199).Told()).violations.empty());
}

TEST(OutsideTest, AReleaseAfterALostLeaseProvesNothing) {
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 99)
                                           .Ask(1, 50, Ask::kWait)
                                           .Granted(1, 102, 200)
                                           .Release(0, 110, 111, StatusCode::kNotOwner)
                                           .Release(1, 150, 151)
                                           .Told());
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_TRUE(verdict.goals.Has(Goal::kLeaseExpiredWhileHeld));
}

TEST(OutsideTest, ConvictsOfARequestGrantedWhileOthersHeldThroughout) {
  // The grant's own belief and proof are empty; that it was given at all is the fault.
  const OutsideVerdict verdict = Judge(Story()
                                           .Ask(0, 0)
                                           .Granted(0, 1, 99)
                                           .Ask(1, 20)
                                           .Granted(1, 30, 30)
                                           .Release(1, 30, 31, StatusCode::kNotOwner)
                                           .Release(0, 80, 81)
                                           .Told());
  EXPECT_NE(verdict.Find(Judged::kServerExclusion), nullptr);
}

TEST(OutsideTest, PermitsMayBeHeldTogetherUpToTheirNumber) {
  const Story two = Story().Turn(0, 0, 1, 50).Turn(1, 0, 2, 50);
  EXPECT_TRUE(Judge(two.Told(1000, 2)).violations.empty());
  OutsideRules rules;
  rules.traits.kind = harness::Permits{};
  const History three = Story(two).Turn(2, 0, 3, 50).Told(1000, 2);
  const OutsideVerdict verdict = JudgeTold(three, rules);
  EXPECT_NE(verdict.Find(Judged::kPermitsBelief), nullptr);
  EXPECT_NE(verdict.Find(Judged::kPermitsSection), nullptr);
  EXPECT_NE(verdict.Find(Judged::kPermitsServer), nullptr);
}

TEST(OutsideTest, ConvictsOfADeadlockOnlyBeyondTheBound) {
  // Free from 31 on; the bound is one lease and two and a half seconds.
  const Story waiting = Story().Turn(0, 0, 1, 30).Ask(1, 10, Ask::kWait);
  EXPECT_TRUE(Judge(waiting.Told(2600)).violations.empty());
  EXPECT_NE(Judge(waiting.Told(2700)).Find(Judged::kDeadlock), nullptr);
  const OutsideVerdict excused = Judge(waiting.Told(2700), "the machine stood still");
  EXPECT_TRUE(excused.violations.empty());
  EXPECT_EQ(excused.undecided[Judged::kDeadlock], "the machine stood still");
}

TEST(OutsideTest, ConvictsOfALeaseThatADeadClientKeeps) {
  const Story dead = Story().Ask(0, 0).Granted(0, 1, 99).Dies(0, 10).Ask(1, 20, Ask::kWaitFor);
  const Story late = Story(dead).Refused(1, 2900, StatusCode::kTimeout);
  EXPECT_NE(Judge(late.Told(3000)).Find(Judged::kCrashRecovery), nullptr);
  const OutsideVerdict served = Judge(Story(dead).Granted(1, 105, 200).Told());
  EXPECT_TRUE(served.violations.empty());
  EXPECT_TRUE(served.exercised[Judged::kCrashRecovery]);
}

TEST(OutsideTest, AClientThatDiedAskingMayHaveBeenGranted) {
  // Its request may have been granted at its death, and then lasts a lease: no deadlock before.
  const History history =
      Story().Ask(0, 0).Dies(0, 50).Ask(1, 10, Ask::kWait).Told(50 + 100 + 2550);
  EXPECT_TRUE(Judge(history).violations.empty());
}

TEST(OutsideTest, KeysMustHaveTheTtlThatTheyMayHave) {
  const History history = Story().Turn(0, 0, 1, 30).Told();
  OutsideRules rules;
  rules.key_limits = {100, {{"p:{r}:fence", milliseconds(5000)}}};
  const auto keys = [&](const std::vector<sim::redis::Server::KeyInfo>& found) {
    return JudgeFromOutside({history, rules, found}).Find(Judged::kKeys) != nullptr;
  };
  EXPECT_FALSE(keys({{"p:{r}", 100}, {"p:{r}:fence", 5000}}));
  EXPECT_TRUE(keys({{"p:{r}", 101}}));
  EXPECT_TRUE(keys({{"p:{r}:fence", 5001}}));
  EXPECT_TRUE(keys({{"p:{r}", std::nullopt}}));
}

}  // namespace
}  // namespace interlock::scenarios::real
