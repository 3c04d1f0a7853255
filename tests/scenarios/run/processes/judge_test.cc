// SPDX-License-Identifier: MIT
//
// The rules of the check on a real server, on histories written by hand: each is broken once, and
// once kept so narrowly that a careless rule would raise a false alarm.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/run/processes/judge.h"
#include "scenarios/run/processes/real_plan.h"
#include "sim/machine/key_sweeper.h"
#include "tests/scenarios/run/processes/story.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

RealVerdict Judge(const RealHistory& history, const std::string& disturbed = "") {
  RealRules rules;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {{"p:{r}:fence", milliseconds(5000)}}};
  rules.disturbed = disturbed;
  return JudgeReal(history, rules, {});
}

TEST(RealJudgeTest, AcquitsTurnsThatFollowEachOther) {
  const RealVerdict verdict = Judge(Story().Turn(0, 0, 1, 30).Turn(1, 0, 31, 60).Told());
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_TRUE(verdict.exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(verdict.exercised[Judged::kSectionExclusion]);
  EXPECT_TRUE(verdict.goals.Has(Goal::kWaiterGranted));
}

RealVerdict JudgeLatchOfTwo(const RealHistory& history, const std::string& disturbed = "") {
  RealRules rules;
  rules.traits.latch = true;
  rules.parties = 2;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {}};
  rules.disturbed = disturbed;
  return JudgeReal(history, rules, {});
}

TEST(RealJudgeTest, ALatchOpensNoEarlierThanItsLastPartySaysSo) {
  const auto story = [](std::int64_t through) {
    return Story()
        .Ask(2, 0, Ask::kWait)
        .CountsDown(0, 1, 3)
        .CountsDown(1, 20, 22)
        .LetThrough(2, through);
  };
  const RealVerdict fine = JudgeLatchOfTwo(story(21).Told());
  EXPECT_TRUE(fine.violations.empty()) << "the server may have heard of it by then";
  EXPECT_TRUE(fine.exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(fine.exercised[Judged::kDeadlock]);
  EXPECT_NE(JudgeLatchOfTwo(story(19).Told()).Find(Judged::kServerExclusion), nullptr);
}

TEST(RealJudgeTest, ALatchThatStaysClosedIsConvictedUnlessTheMachineStoodStill) {
  const RealHistory history =
      Story().Ask(2, 0, Ask::kWait).CountsDown(0, 1, 3).CountsDown(1, 20, 22).Told(60'000);
  EXPECT_NE(JudgeLatchOfTwo(history).Find(Judged::kDeadlock), nullptr);
  const RealVerdict disturbed = JudgeLatchOfTwo(history, "the machine stood still");
  EXPECT_TRUE(disturbed.violations.empty());
  EXPECT_NE(disturbed.undecided[Judged::kDeadlock], "");
}

TEST(RealJudgeTest, WhatAServerMayHaveForgottenIsCountedAgainWhenAllIsWell) {
  RealRules rules;
  rules.traits.latch = true;
  rules.parties = 2;
  rules.wake_up_bound = kLease;
  rules.key_limits = {100, {}};
  const Story counted =
      Story().Ask(2, 0, Ask::kWait).CountsDown(0, 1, 3).CountsDown(1, 20, 22).Dies(3, 30);
  EXPECT_NE(JudgeReal(counted.Told(60'000), rules, {}).Find(Judged::kDeadlock), nullptr);
  rules.forgetful = true;
  EXPECT_EQ(JudgeReal(counted.Told(60'000), rules, {}).Find(Judged::kDeadlock), nullptr);
  const Story again = Story(counted).CountsDown(0, 40, 42).CountsDown(1, 43, 44);
  EXPECT_NE(JudgeReal(again.Told(60'000), rules, {}).Find(Judged::kDeadlock), nullptr);
}

TEST(RealJudgeTest, ConvictsTwoClientsThatBelieveAtOneTime) {
  const RealVerdict verdict =
      Judge(Story().Ask(0, 0).Granted(0, 1, 100).Ask(1, 40).Granted(1, 41, 140).Told());
  EXPECT_NE(verdict.Find(Judged::kBeliefExclusion), nullptr);
  EXPECT_EQ(verdict.Find(Judged::kSectionExclusion), nullptr);
}

TEST(RealJudgeTest, ReadersMayBelieveTogetherButNotBesideAWriter) {
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

TEST(RealJudgeTest, CountsNoBeliefBeyondTheCallOfRelease) {
  // The second is granted before the first's release has returned: the server had let it in.
  const RealVerdict verdict = Judge(Story()
                                        .Ask(0, 0)
                                        .Granted(0, 1, 100)
                                        .Ask(1, 10, Ask::kWait)
                                        .Release(0, 50, 55)
                                        .Granted(1, 52, 150)
                                        .Told());
  EXPECT_TRUE(verdict.violations.empty());
}

TEST(RealJudgeTest, ConvictsTwoClientsInTheirSections) {
  const RealVerdict verdict = Judge(Story()
                                        .Ask(0, 0)
                                        .Granted(0, 1, 100)
                                        .Section(0, 2, 60)
                                        .Ask(1, 40)
                                        .Granted(1, 41, 140)
                                        .Section(1, 42, 80)
                                        .Told());
  EXPECT_NE(verdict.Find(Judged::kSectionExclusion), nullptr);
}

TEST(RealJudgeTest, LeavesALateLeaverUndecided) {
  // A busy machine woke the first late, after its validity; the second entered when it might.
  const RealVerdict verdict = Judge(Story()
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

TEST(RealJudgeTest, ConvictsTheServerOfTwoProvenHolds) {
  // Nobody believes any more; but both were told "released", so both had held until then.
  const RealVerdict verdict = Judge(Story()
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

TEST(RealJudgeTest, ADeadHoldersPromiseGoesOnAtTheServer) {
  const Story dead = Story().Ask(0, 0).Granted(0, 1, 99).Dies(0, 10);
  EXPECT_NE(Judge(Story(dead).Ask(1, 20).Granted(1, 50, 140).Told()).Find(Judged::kServerExclusion),
            nullptr);
  EXPECT_TRUE(
      Judge(Story(dead).Ask(1, 20, Ask::kWait).Granted(1, 101, 199).Told()).violations.empty());
}

TEST(RealJudgeTest, AReleaseAfterALostLeaseProvesNothing) {
  const RealVerdict verdict = Judge(Story()
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

TEST(RealJudgeTest, ConvictsOfARequestGrantedWhileOthersHeldThroughout) {
  // The grant's own belief and proof are empty; that it was given at all is the fault.
  const RealVerdict verdict = Judge(Story()
                                        .Ask(0, 0)
                                        .Granted(0, 1, 99)
                                        .Ask(1, 20)
                                        .Granted(1, 30, 30)
                                        .Release(1, 30, 31, StatusCode::kNotOwner)
                                        .Release(0, 80, 81)
                                        .Told());
  EXPECT_NE(verdict.Find(Judged::kServerExclusion), nullptr);
}

TEST(RealJudgeTest, PermitsMayBeHeldTogetherUpToTheirNumber) {
  const Story two = Story().Turn(0, 0, 1, 50).Turn(1, 0, 2, 50);
  EXPECT_TRUE(Judge(two.Told(1000, 2)).violations.empty());
  RealRules rules;
  rules.traits.semaphore = true;
  const RealHistory three = Story(two).Turn(2, 0, 3, 50).Told(1000, 2);
  const RealVerdict verdict = JudgeReal(three, rules, {});
  EXPECT_NE(verdict.Find(Judged::kPermitsBelief), nullptr);
  EXPECT_NE(verdict.Find(Judged::kPermitsSection), nullptr);
  EXPECT_NE(verdict.Find(Judged::kPermitsServer), nullptr);
}

TEST(RealJudgeTest, ConvictsOfADeadlockOnlyBeyondTheBound) {
  // Free from 31 on; the bound is one lease and two and a half seconds.
  const Story waiting = Story().Turn(0, 0, 1, 30).Ask(1, 10, Ask::kWait);
  EXPECT_TRUE(Judge(waiting.Told(2600)).violations.empty());
  EXPECT_NE(Judge(waiting.Told(2700)).Find(Judged::kDeadlock), nullptr);
  const RealVerdict excused = Judge(waiting.Told(2700), "the machine stood still");
  EXPECT_TRUE(excused.violations.empty());
  EXPECT_EQ(excused.undecided[Judged::kDeadlock], "the machine stood still");
}

TEST(RealJudgeTest, ConvictsOfALeaseThatADeadClientKeeps) {
  const Story dead = Story().Ask(0, 0).Granted(0, 1, 99).Dies(0, 10).Ask(1, 20, Ask::kWaitFor);
  const Story late = Story(dead).Refused(1, 2900, StatusCode::kTimeout);
  EXPECT_NE(Judge(late.Told(3000)).Find(Judged::kCrashRecovery), nullptr);
  const RealVerdict served = Judge(Story(dead).Granted(1, 105, 200).Told());
  EXPECT_TRUE(served.violations.empty());
  EXPECT_TRUE(served.exercised[Judged::kCrashRecovery]);
}

TEST(RealJudgeTest, AClientThatDiedAskingMayHaveBeenGranted) {
  // Its request may have been granted at its death, and then lasts a lease: no deadlock before.
  const RealHistory history =
      Story().Ask(0, 0).Dies(0, 50).Ask(1, 10, Ask::kWait).Told(50 + 100 + 2550);
  EXPECT_TRUE(Judge(history).violations.empty());
}

TEST(RealJudgeTest, KeysMustHaveTheTtlThatTheyMayHave) {
  const RealHistory history = Story().Turn(0, 0, 1, 30).Told();
  RealRules rules;
  rules.key_limits = {100, {{"p:{r}:fence", milliseconds(5000)}}};
  const auto keys = [&](const std::vector<sim::redis::Server::KeyInfo>& found) {
    return JudgeReal(history, rules, found).Find(Judged::kKeys) != nullptr;
  };
  EXPECT_FALSE(keys({{"p:{r}", 100}, {"p:{r}:fence", 5000}}));
  EXPECT_TRUE(keys({{"p:{r}", 101}}));
  EXPECT_TRUE(keys({{"p:{r}:fence", 5001}}));
  EXPECT_TRUE(keys({{"p:{r}", std::nullopt}}));
}

TEST(RealPlanTest, ScalesEveryDurationByOneFactor) {
  Workload workload;
  workload.lease = std::chrono::seconds(20);
  ClientPlan client;
  Operation operation;
  operation.think = milliseconds(500);
  operation.hold = std::chrono::seconds(25);
  operation.overstay = std::chrono::seconds(5);
  client.operations.push_back(operation);
  workload.clients.push_back(client);
  const Workload scaled = Scaled(workload, milliseconds(400));
  EXPECT_EQ(scaled.lease, milliseconds(400));
  EXPECT_EQ(scaled.clients[0].operations[0].think, milliseconds(10));
  EXPECT_EQ(scaled.clients[0].operations[0].hold, milliseconds(500));
  EXPECT_EQ(scaled.clients[0].operations[0].overstay, milliseconds(100));
}

TEST(RealPlanTest, EveryScenarioHasPlansOfUsefulLength) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 77U}) {
    for (const Scenario& scenario : Catalogue()) {
      if (!WhyNotHere(scenario, true).empty()) continue;
      const std::vector<RealPlan> plans = PlansFor(scenario, seed, false);
      EXPECT_EQ(plans.size(), scenario.pinned.empty() ? 4U : 1U) << scenario.name;
      for (const RealPlan& plan : plans) {
        EXPECT_GE(plan.workload.lease, milliseconds(150));
        EXPECT_LE(plan.workload.lease, milliseconds(400));
      }
    }
  }
}

TEST(RealPlanTest, AllPlacesOfDeathComeFromTheStep) {
  ClientPlan client;
  client.operations.resize(2);
  EXPECT_EQ(DeathOf(client), std::nullopt);
  const auto at = [&](int step) {
    client.faults = {{sim::FaultKind::kCrash, step, {}}};
    return *DeathOf(client);
  };
  EXPECT_EQ(at(0), (Death{0, DeathPlace::kAskSent, 1}));
  EXPECT_EQ(at(1), (Death{0, DeathPlace::kInSection, 1}));
  EXPECT_EQ(at(5), (Death{1, DeathPlace::kBeforeRelease, 1}));
  EXPECT_EQ(at(18), (Death{0, DeathPlace::kAskSent, 3}));
  client.faults.front().kind = sim::FaultKind::kRestart;
  EXPECT_TRUE(DeathOf(client)->reborn);
}

TEST(KeySweeperTest, APatternOfSpecialLettersMatchesItselfAlone) {
  EXPECT_EQ(sim::machine::EscapeGlob("a*b?[c]\\"), "a\\*b\\?\\[c\\]\\\\");
}

}  // namespace
}  // namespace interlock::scenarios::real
