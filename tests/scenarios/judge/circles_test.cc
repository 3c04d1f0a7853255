// SPDX-License-Identifier: MIT
//
// Wait-for circles, judged on hand-written histories of several resources. Resources are taken in
// the order of their numbers; the lease is 1000 ms.
#include "scenarios/judge/circles.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/raw_workload.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/cases/swarm.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::NewHistoryOfPermits;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

using Histories = std::vector<History>;

std::vector<Violation> CirclesIn(const Histories& histories) {
  std::vector<const History*> all;
  for (const History& history : histories) all.push_back(&history);
  std::vector<Violation> violations;
  JudgeCircles(all, violations);
  return violations;
}

/// The client takes the resource at `when`, and its lease ends before it has released.
void Takes(History& history, int client, VirtualTime when) {
  history.attempts.push_back(
      Answered(Asked(client, Ask::kTry, when - Ms(2)), when, StatusCode::kOk));
  history.server_holds.push_back(Ended(Owns(client, when - Ms(1), when - Ms(1) + kLease),
                                       ServerHoldEnd::kExpired, when - Ms(1) + kLease));
  history.holds.push_back(Believes(client, when, when + Ms(900)));
}

/// The client's entry of another resource fills this one, too.
void Fills(History& history, int client, VirtualTime when) {
  history.server_holds.push_back(Ended(Owns(client, when - Ms(1), when - Ms(1) + kLease),
                                       ServerHoldEnd::kExpired, when - Ms(1) + kLease));
}

void WaitsFrom(History& history, int client, VirtualTime from, VirtualTime to) {
  history.attempts.push_back(Answered(Asked(client, Ask::kWait, from), to, StatusCode::kOk));
}

/// C1 holds the first resource, whose entry fills the last one, and asks for the second, which C2
/// holds while it asks for the last. Both leases end.
Histories AroundASharedKey() {
  Histories all = {NewHistory(), NewHistory(), NewHistory()};
  Takes(all[0], 0, Ms(10));
  Fills(all[2], 0, Ms(10));
  Takes(all[1], 1, Ms(10));
  WaitsFrom(all[1], 0, Ms(100), Ms(1010));
  WaitsFrom(all[2], 1, Ms(200), Ms(1011));
  return all;
}

TEST(CirclesTest, TwoClientsThatOnlyALeaseSetsFree) {
  const auto violations = CirclesIn(AroundASharedKey());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(200)) << "when it closed";
  EXPECT_THAT(violations[0].what, HasSubstr("C1 waited for what C2 held"));
  EXPECT_THAT(violations[0].what, HasSubstr("C2 waited for what C1 held"));
}

TEST(CirclesTest, AClientThatWaitsForItself) {
  Histories all = {NewHistory(), NewHistory()};
  Takes(all[0], 0, Ms(10));
  Fills(all[1], 0, Ms(10));
  WaitsFrom(all[1], 0, Ms(50), Ms(1009));
  const auto violations = CirclesIn(all);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(violations[0].what, HasSubstr("C1 waited for what itself held"));
  all[1].attempts[0].ask = Ask::kTry;
  EXPECT_THAT(CirclesIn(all), IsEmpty()) << "a try waits for nobody";
}

TEST(CirclesTest, AChainIsNoCircle) {
  Histories all = AroundASharedKey();
  all[2].attempts.clear();  // C2 only works
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

// Users who ask crosswise close circles around any lock.
TEST(CirclesTest, WhoAsksCrosswiseHasOnlyItselfToBlame) {
  Histories all = {NewHistory(), NewHistory()};
  Takes(all[0], 0, Ms(10));
  Takes(all[1], 1, Ms(10));
  WaitsFrom(all[1], 0, Ms(100), Ms(1009));
  WaitsFrom(all[0], 1, Ms(100), Ms(1009));
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

TEST(CirclesTest, ALockThatSeesTheCircleAndRefusesIsFine) {
  Histories all = AroundASharedKey();
  all[2].attempts[0] = Answered(all[2].attempts[0], Ms(210), StatusCode::kNotAcquired);
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

TEST(CirclesTest, TheEndOfSomebodysPatienceIsNoCure) {
  Histories all = AroundASharedKey();
  all[2].attempts[0] = Answered(all[2].attempts[0], Ms(700), StatusCode::kTimeout);
  all[2].attempts[0].deadline = Ms(700);
  EXPECT_THAT(PropertiesOf(CirclesIn(all)), ElementsAre(Judged::kDeadlock));
  all[2].attempts[0].deadline = Ms(1'900);
  EXPECT_THAT(CirclesIn(all), IsEmpty()) << "it gave up early: it may have seen the circle";
}

TEST(CirclesTest, AReleaseOpensIt) {
  Histories all = AroundASharedKey();
  all[1].server_holds[0] = Ended(all[1].server_holds[0], ServerHoldEnd::kReleased, Ms(150));
  all[1].holds[0] = Released(all[1].holds[0], Ms(149), Ms(151));
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

// With one token for all that a client does, its entry may be a grant that it has not heard of yet.
TEST(CirclesTest, AGrantOnItsWayIsNotWaitedFor) {
  Histories all = {NewHistory(), NewHistory()};
  Takes(all[0], 0, Ms(10));
  WaitsFrom(all[1], 0, Ms(50), Ms(1'060));
  Fills(all[1], 0, Ms(60));
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

/// Each has one of two that it asked for at once, and waits for the other's.
Histories CrosswiseParts() {
  Histories all = {NewHistory(), NewHistory()};
  for (int client = 0; client < 2; ++client) {
    for (History& history : all) {
      WaitsFrom(history, client, Ms(10), Ms(1'012));
      history.attempts.back().of_several = true;
    }
    Fills(all[static_cast<std::size_t>(client)], client, Ms(12));
  }
  return all;
}

TEST(CirclesTest, PartsOfWhatIsAskedForAtOnceCloseACircle) {
  const auto violations = CirclesIn(CrosswiseParts());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(violations[0].what, HasSubstr("C1 waited for what C2 held"));
  EXPECT_THAT(violations[0].what, HasSubstr("C2 waited for what C1 held"));
}

TEST(CirclesTest, WhoHasOnePartAndWaitsForTheOtherIsNotInItsOwnWay) {
  Histories all = CrosswiseParts();
  for (History& history : all) history.attempts.erase(history.attempts.begin() + 1);
  EXPECT_THAT(CirclesIn(all), IsEmpty()) << "C2 is not asking";
}

TEST(CirclesTest, AFreePermitIsEnough) {
  Histories all = {NewHistoryOfPermits(2), NewHistoryOfPermits(2)};
  Takes(all[0], 0, Ms(10));
  Fills(all[1], 0, Ms(10));
  WaitsFrom(all[1], 0, Ms(50), Ms(1'009));
  EXPECT_THAT(CirclesIn(all), IsEmpty());
  Takes(all[0], 1, Ms(10));
  Fills(all[1], 1, Ms(10));
  EXPECT_THAT(CirclesIn(all), IsEmpty()) << "C2 does not wait, and will release";
  WaitsFrom(all[1], 1, Ms(70), Ms(1'009));
  EXPECT_THAT(PropertiesOf(CirclesIn(all)), ElementsAre(Judged::kDeadlock));
}

TEST(CirclesTest, WhatAFaultLeftBehindIsNotJudged) {
  Histories all = AroundASharedKey();
  Crash(all[0], 5, Ms(1));
  EXPECT_THAT(CirclesIn(all), IsEmpty());
  all = AroundASharedKey();
  all[1].disturbances = {{3, Ms(1)}};
  EXPECT_THAT(CirclesIn(all), IsEmpty());
}

TEST(CirclesTest, TheScenarioAsksInOneOrderAndNests) {
  const Scenario& scenario = *FindScenario("nested");
  int nested = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const ClientPlan& client : Cooked(scenario.shape, Drawn(scenario.shape, seed)).clients) {
      for (std::size_t i = 1; i < client.operations.size(); ++i) {
        if (!client.operations[i].inside) continue;
        ++nested;
        EXPECT_GT(client.operations[i].resource, client.operations[i - 1].resource);
      }
    }
  }
  EXPECT_GT(nested, 100);
}

}  // namespace
}  // namespace interlock::scenarios
