// SPDX-License-Identifier: MIT
//
// Limits that are kept in the server: what is known of them over time, what each oracle makes of
// that, on hand-written histories, and what the swarm draws.
#include "scenarios/log/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/limit.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/log/ledger.h"
#include "scenarios/search/shrink/parts.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

constexpr hours kStands(24);
constexpr int kFollows = 0;

/// Client 0 gives 1, client 1 gives 2, and client 2 follows; client 3 sets limits.
Limits Kept(Duration stands = kStands) {
  Limits limits(1);
  limits.Keep(stands);
  limits.SetWish(0, 1);
  limits.SetWish(1, 2);
  limits.SetWish(2, kFollows);
  limits.SetWish(3, kFollows);
  return limits;
}

/// Client 3 sets it: the server hears of it a millisecond after, and it is told so another one
/// later.
void Set(Limits& limits, int limit, VirtualTime at, StatusCode told = StatusCode::kOk) {
  limits.NoteCall(3, limit, at);
  limits.NoteSent(3, static_cast<std::uint64_t>(at.count()));
  limits.NoteChange(3, static_cast<std::uint64_t>(at.count()), at + Ms(1));
  limits.NoteAnswer(3, told, at + Ms(2));
}

TEST(LimitsTest, TheFirstGrantPutsItsWishInForce) {
  Limits limits = Kept();
  EXPECT_TRUE(limits.MayBeNone(Ms(0), Ms(10)));
  EXPECT_TRUE(limits.NoteGrant(1, Ms(10), true));
  EXPECT_FALSE(limits.MayBeNone(Ms(11), Ms(99)));
  EXPECT_EQ(limits.MostNow(), 2);
  EXPECT_FALSE(limits.NoteGrant(0, Ms(20), true)) << "though nobody is inside";
  EXPECT_EQ(limits.MostNow(), 2);
  EXPECT_TRUE(limits.NoteGrant(2, Ms(30), false));
  EXPECT_TRUE(limits.NoteGrant(1, Ms(40), false));
}

TEST(LimitsTest, WhoFollowsIsNotLetInWhileNoneIsInForce) {
  Limits limits = Kept();
  EXPECT_FALSE(limits.NoteGrant(2, Ms(10), true));
  Set(limits, 4, Ms(20));
  EXPECT_TRUE(limits.NoteGrant(2, Ms(30), true));
  EXPECT_EQ(limits.MostNow(), 4);
}

TEST(LimitsTest, ACallUnderWayMayHaveTakenEffectOrNot) {
  Limits limits = Kept();
  limits.NoteGrant(0, Ms(10), true);
  Set(limits, 3, Ms(20));
  EXPECT_EQ(limits.Most(Ms(19), Ms(20)), 1);
  EXPECT_EQ(limits.Most(Ms(21), Ms(21)), 3);
  EXPECT_EQ(limits.Least(Ms(21), Ms(21)), 1);
  EXPECT_EQ(limits.LeastAfter(Ms(21)), 1);
  EXPECT_EQ(limits.LeastAfter(Ms(22)), 3);
  EXPECT_TRUE(limits.MayBeOther(3, Ms(20), Ms(30)));
  EXPECT_FALSE(limits.MayBeOther(3, Ms(23), Ms(30)));
  ASSERT_EQ(limits.calls().size(), 1U);
  EXPECT_EQ(limits.calls()[0].changed, Ms(21));
}

TEST(LimitsTest, AnUnknownOutcomeLeavesBothPossible) {
  Limits limits = Kept();
  limits.NoteGrant(0, Ms(10), true);
  Set(limits, 3, Ms(20), StatusCode::kUnknownOutcome);
  EXPECT_EQ(limits.LeastAfter(Ms(50)), 1);
  EXPECT_EQ(limits.MostNow(), 3);
  EXPECT_TRUE(limits.NoteGrant(0, Ms(60), true));
  Set(limits, 3, Ms(70));
  EXPECT_EQ(limits.LeastAfter(Ms(72)), 3);
  EXPECT_FALSE(limits.NoteGrant(0, Ms(80), true));
}

TEST(LimitsTest, OfTwoCallsAtOnceTheLaterChangeCounts) {
  Limits limits = Kept();
  limits.NoteCall(2, 5, Ms(10));
  limits.NoteSent(2, 1);
  limits.NoteCall(3, 7, Ms(11));
  limits.NoteSent(3, 1);
  limits.NoteChange(2, 1, Ms(12));
  limits.NoteChange(3, 1, Ms(13));
  limits.NoteAnswer(2, StatusCode::kOk, Ms(14));
  EXPECT_TRUE(limits.MayBeOther(5, Ms(15), Ms(15)));
  limits.NoteAnswer(3, StatusCode::kOk, Ms(16));
  EXPECT_FALSE(limits.MayBeOther(7, Ms(17), Ms(17)));
}

TEST(LimitsTest, ItMayLapseWhenNobodyHasUsedItForLong) {
  Limits limits = Kept();
  limits.NoteGrant(0, Ms(10), true);
  EXPECT_FALSE(limits.NoteGrant(1, hours(23), true));
  EXPECT_TRUE(limits.MayBeNone(hours(23), hours(24)));
  EXPECT_TRUE(limits.NoteGrant(0, hours(23), true));
  EXPECT_FALSE(limits.NoteGrant(1, hours(24), true));
  EXPECT_FALSE(limits.NoteGrant(1, hours(47), false)) << "a permit is out";
  EXPECT_TRUE(limits.NoteGrant(1, hours(47), true));
}

TEST(LimitsTest, WhereItLastsAsLongAsThePermitsWhoeverIsAlonePutsItsOwnInForce) {
  Limits limits = Kept(Duration(0));
  EXPECT_TRUE(limits.NoteGrant(1, Ms(10), true));
  EXPECT_FALSE(limits.NoteGrant(0, Ms(20), false));
  EXPECT_TRUE(limits.NoteGrant(0, Ms(30), true));
  EXPECT_EQ(limits.MostNow(), 1);
}

TEST(LimitsTest, OfMostLocksItIsOneNumber) {
  Limits limits(3);
  EXPECT_TRUE(limits.NoteGrant(0, Ms(10), false));
  EXPECT_EQ(limits.Most(), 3);
  EXPECT_EQ(limits.Least(), 3);
  EXPECT_FALSE(limits.MayRefuse(2, Ms(0), kOpen));
}

History NewHistoryOf(Limits limits) {
  History history = NewHistory();
  history.limits = std::move(limits);
  return history;
}

class LimitLedgerTest : public ::testing::Test {
 protected:
  void Ask(int client, VirtualTime now, std::vector<SeenOwner> owners) {
    for (SeenOwner& owner : owners) owner.expires_at_ms = owner.promised_until.count() / 1'000'000;
    Ledger().Sync(client, Doing::kAsking, now, {0, now.count() / 1'000'000, std::move(owners)},
                  history_);
    testing::JudgeObserved(history_, violations_, harness::Permits{});
  }

  History history_ = NewHistoryOf(Kept());
  std::vector<Violation> violations_;
};

TEST_F(LimitLedgerTest, AGrantUnderAnotherLimitIsPermitsAtTheServer) {
  Ask(1, Ms(10), {{"t1", Ms(1010)}});
  EXPECT_THAT(violations_, IsEmpty());
  Ask(0, Ms(20), {{"t1", Ms(1010)}, {"t0", Ms(1020)}});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kPermitsServer));
  EXPECT_THAT(violations_[0].what, HasSubstr("a limit of 1, while one of 2 was in force"));
}

TEST_F(LimitLedgerTest, WhoIsInsideStaysWhenTheLimitShrinks) {
  Ask(1, Ms(10), {{"t1", Ms(1010)}});
  Ask(2, Ms(20), {{"t1", Ms(1010)}, {"t2", Ms(1020)}});
  Set(history_.limits, 1, Ms(30));
  Ask(3, Ms(1010), {{"t2", Ms(1020)}, {"t3", Ms(2010)}});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kPermitsServer));
  EXPECT_THAT(violations_[0].what, HasSubstr("was promised the lock"));
  violations_.clear();
  Ask(0, Ms(2010), {{"t0", Ms(3010)}});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST(LimitExclusionTest, ABeliefIsHeldAgainstTheLimitsSinceItWasAskedFor) {
  History history = NewHistoryOf(Kept());
  history.limits.NoteGrant(1, Ms(10), true);
  history.holds = {Believes(1, Ms(11), Ms(1000)), Believes(2, Ms(30), Ms(1020))};
  history.holds[1].asked = Ms(15);
  Set(history.limits, 1, Ms(20));
  std::vector<Violation> violations;
  JudgeExclusion(history, harness::Permits{}, violations);
  EXPECT_THAT(violations, IsEmpty());
  history.holds[1].asked = Ms(23);
  JudgeExclusion(history, harness::Permits{}, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kPermitsBelief));
}

std::vector<Violation> JudgeLimits(const History& history) {
  std::vector<Violation> violations;
  JudgeLimit(history, violations);
  return violations;
}

TEST(LimitOracleTest, OtherLimitIsToldOnlyWhereThereIsOne) {
  History history = NewHistoryOf(Kept());
  history.limits.NoteGrant(1, Ms(10), true);
  const auto refused = [&](int client, VirtualTime at) {
    history.attempts = {
        Answered(Asked(client, Ask::kTry, at), at + Ms(2), StatusCode::kInvalidArgument)};
    return JudgeLimits(history);
  };
  EXPECT_THAT(refused(0, Ms(20)), IsEmpty());
  ASSERT_THAT(PropertiesOf(refused(1, Ms(20))), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(refused(1, Ms(20))[0].what, HasSubstr("no other limit than its own 2"));
  EXPECT_THAT(PropertiesOf(refused(2, Ms(20))), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(refused(2, Ms(20))[0].what, HasSubstr("which it follows"));
  EXPECT_THAT(refused(2, Ms(5)), IsEmpty()) << "none was in force";
  Set(history.limits, 3, Ms(30));
  EXPECT_THAT(refused(1, Ms(40)), IsEmpty());
}

TEST(LimitOracleTest, WhereItLastsAsLongAsThePermitsOneOfAnotherLimitMustBeOut) {
  History history = NewHistoryOf(Kept(Duration(0)));
  history.limits.NoteGrant(1, Ms(10), true);
  history.server_holds = {Ended(Owns(1, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500))};
  history.attempts = {
      Answered(Asked(0, Ask::kTry, Ms(400)), Ms(402), StatusCode::kInvalidArgument)};
  EXPECT_THAT(JudgeLimits(history), IsEmpty());
  history.attempts = {
      Answered(Asked(0, Ask::kTry, Ms(600)), Ms(602), StatusCode::kInvalidArgument)};
  EXPECT_THAT(PropertiesOf(JudgeLimits(history)), ElementsAre(Judged::kSpuriousRefusal));
}

// The request that is refused has found the first in line dead, and its lease to come.
TEST(LimitOracleTest, WhatIsHandedOverToSomebodyElseStandsUnderThatOnesLimit) {
  History history = NewHistoryOf(Kept(Duration(0)));
  history.limits.NoteGrant(1, Ms(10), true);
  history.server_holds = {Owns(-1, Ms(401), Ms(1401))};
  history.server_holds[0].made_by = 0;
  history.attempts = {
      Answered(Asked(0, Ask::kTry, Ms(400)), Ms(402), StatusCode::kInvalidArgument)};
  EXPECT_THAT(JudgeLimits(history), IsEmpty()) << "nobody knows whose it is";
  history.server_holds[0].asked_by = 1;
  EXPECT_THAT(JudgeLimits(history), IsEmpty());
  history.server_holds[0].asked_by = 0;
  EXPECT_THAT(PropertiesOf(JudgeLimits(history)), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LimitOracleTest, SettingALimitIsDeniedOnlyIfNothingChangedAndAFaultWasInTheWay) {
  History history = NewHistoryOf(Kept());
  Set(history.limits, 3, Ms(20), StatusCode::kUnavailable);
  history.disturbances = {{3, Ms(20)}};
  ASSERT_THAT(PropertiesOf(JudgeLimits(history)), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(JudgeLimits(history)[0].what, HasSubstr("though it had changed at 21.000 ms"));
  history.limits = Kept();
  Set(history.limits, 3, Ms(20), StatusCode::kUnknownOutcome);
  EXPECT_THAT(JudgeLimits(history), IsEmpty());
  history.disturbances.clear();
  ASSERT_THAT(PropertiesOf(JudgeLimits(history)), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(JudgeLimits(history)[0].what, HasSubstr("no fault had met it"));
}

/// C2 has one of two permits until 900 ms; C3, who follows, is refused at 100 ms.
TEST(LimitRefusalTest, FullIsToldOnlyIfTheLimitInForceIsReached) {
  History history = NewHistoryOf(Kept());
  history.limits.NoteGrant(1, Ms(10), true);
  history.server_holds = {Ended(Owns(1, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(900))};
  history.attempts = {Answered(Asked(1, Ask::kTry, Ms(9)), Ms(11)),
                      Answered(Asked(2, Ask::kTry, Ms(100)), Ms(102), StatusCode::kNotAcquired)};
  std::vector<Violation> violations;
  JudgeRefusals(history, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  violations.clear();
  Set(history.limits, 1, Ms(50));
  JudgeRefusals(history, violations);
  EXPECT_THAT(violations, IsEmpty());
}

/// C1 holds the one permit for long; `waiter` waits from 100 ms to 800 ms.
History WaitsForALimit(int waiter) {
  History history = NewHistoryOf(Kept());
  history.limits.NoteGrant(0, Ms(10), true);
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(800))};
  history.holds = {Released(Believes(0, Ms(11), Ms(1000)), Ms(799), Ms(801))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11)),
                      Answered(Asked(waiter, Ask::kWait, Ms(100)), Ms(802))};
  return history;
}

TEST(LimitProgressTest, AWaiterThatALargerLimitLetsInMustNotSleepOn) {
  const ProgressRules rules = {
      .wake_up_bound = kLease, .longest_use = kLease, .hand_over_bound = milliseconds(60)};
  const auto judge = [&](const History& history) {
    std::vector<Violation> violations;
    JudgeProgress(history, rules, violations);
    return violations;
  };
  EXPECT_THAT(judge(WaitsForALimit(2)), IsEmpty());
  History history = WaitsForALimit(2);
  Set(history.limits, 2, Ms(200));
  ASSERT_THAT(PropertiesOf(judge(history)), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(judge(history)[0].what, HasSubstr("free from 202.000 ms"));
  history = WaitsForALimit(0);  // it gives 1, and will be told
  Set(history.limits, 2, Ms(200));
  EXPECT_THAT(judge(history), IsEmpty());
}

TEST(LimitGoalsTest, TellWhatALimitMetWhenItWasSet) {
  History history = WaitsForALimit(2);
  Set(history.limits, 2, Ms(200));
  GoalSet goals;
  AddLimitGoals(history, goals);
  EXPECT_TRUE(goals.Has(Goal::kLimitSetInUse));
  EXPECT_TRUE(goals.Has(Goal::kLetInByLimit));
  EXPECT_FALSE(goals.Has(Goal::kLimitBelowOut));
  EXPECT_FALSE(goals.Has(Goal::kOtherLimitRefused));
}

TEST(LimitDrawsTest, AreDrawnBesideEverythingElse) {
  const Scenario& scenario = *FindScenario("chaos");
  const Generator without(scenario);
  const Generator with(scenario, Extras{.limit_stands = milliseconds(1'000'000'000)});
  int varied = 0;
  int set = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Workload drawn = with.Draw(seed);
    varied += VariesLimits(drawn) ? 1 : 0;
    const Workload plain = without.Draw(seed);
    for (std::size_t i = 0; i < drawn.clients.size(); ++i) {
      ClientPlan& client = drawn.clients[i];
      client.limit.reset();
      client.lease = Duration{};
      for (std::size_t j = 0; j < client.operations.size(); ++j) {
        const Operation& same = plain.clients[i].operations[j];
        Operation& operation = client.operations[j];
        set += operation.sets_limit > 0 ? 1 : 0;
        if (operation.sets_limit > 0) operation.inside = same.inside;
        operation.sets_limit = 0;
        if (operation.think >= milliseconds(500'000'000)) operation.think = same.think;
      }
    }
    EXPECT_EQ(drawn, plain);
  }
  EXPECT_GT(varied, 200);
  EXPECT_LT(varied, 350);
  EXPECT_GT(set, 100);
}

TEST(LimitDrawsTest, NobodySetsWhatLastsOnlyAsLongAsThePermits) {
  const Generator generator(*FindScenario("chaos"), Extras{.limit_stands = milliseconds(0)});
  int varied = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_FALSE(SetsLimits(generator.Draw(seed)));
    varied += VariesLimits(generator.Draw(seed)) ? 1 : 0;
  }
  EXPECT_GT(varied, 30);
}

TEST(LimitDrawsTest, NothingIsDrawnWhereAServerMayForgetIt) {
  const Scenario& scenario = *FindScenario("failover");
  const Generator with(scenario, Extras{.lives = true, .limit_stands = hours(1)});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(with.Draw(seed), Generator(scenario).Draw(seed));
  }
}

TEST(LimitShrinkTest, OfOneMindIsSimplerAndLeasesStayWhole) {
  Workload workload;
  workload.lease = milliseconds(5);
  workload.clients = {
      {.limit = 3, .lease = milliseconds(1), .operations = {{.sets_limit = 2}}, .faults = {}}};
  for (const Workload& simpler : SimplerKinds(workload)) {
    const ClientPlan& client = simpler.clients[0];
    EXPECT_TRUE(client.limit != 3 || client.lease.count() == 0 ||
                client.operations[0].sets_limit == 1);
  }
  EXPECT_EQ(SimplerKinds(workload).size(), 4U);
  EXPECT_EQ(ScaledTo(workload, milliseconds(2)).clients[0].lease, milliseconds(1));
  EXPECT_EQ(ScaledTo(workload, milliseconds(17)).clients[0].lease, milliseconds(3));
}

}  // namespace
}  // namespace interlock::scenarios
