// SPDX-License-Identifier: MIT
//
// What readers change: in each oracle, that they do not conflict with each other and do conflict
// with a writer; in workloads, that they leave all else as it is.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/exercised.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/writes.h"
#include "scenarios/log/ledger.h"
#include "scenarios/run/recorder/guarded_resource.h"
#include "scenarios/search/shrink/parts.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using testing::Ended;
using testing::Inside;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

/// The same of a reader.
template <typename T>
T Shared(T of) {
  of.shared = true;
  return of;
}

TEST(ReadersTest, DoNotExcludeEachOtherButAWriter) {
  History history = NewHistory();
  history.holds = {Shared(Inside(Believes(0, Ms(0), Ms(100)), Ms(0), Ms(100))),
                   Shared(Inside(Believes(1, Ms(10), Ms(90)), Ms(10), Ms(90)))};
  std::vector<Violation> violations;
  JudgeExclusion(history, {}, violations);
  EXPECT_THAT(violations, IsEmpty());

  history.holds.push_back(Inside(Believes(2, Ms(95), Ms(200)), Ms(96), Ms(200)));
  JudgeExclusion(history, {}, violations);
  ASSERT_THAT(PropertiesOf(violations),
              ElementsAre(Judged::kBeliefExclusion, Judged::kSectionExclusion));
  EXPECT_EQ(violations[0].at, Ms(95));
  EXPECT_EQ(violations[0].client, 2);
}

TEST(ReadersTest, AReaderBesideAWriterIsConvictedToo) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(100)), Shared(Believes(1, Ms(50), Ms(150)))};
  std::vector<Violation> violations;
  JudgeExclusion(history, {}, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kBeliefExclusion));
}

class LedgerOfReadersTest : public ::testing::Test {
 protected:
  void Sync(int client, VirtualTime now, std::vector<SeenOwner> owners) {
    for (SeenOwner& owner : owners) owner.expires_at_ms = owner.promised_until.count() / 1'000'000;
    ledger_.Sync(client, Doing::kAsking, now, {0, now.count() / 1'000'000, std::move(owners)},
                 history_);
    testing::JudgeObserved(history_, violations_);
  }

  Ledger ledger_;
  History history_ = NewHistory();
  std::vector<Violation> violations_;
};

TEST_F(LedgerOfReadersTest, ReadersAreGrantedBesideReaders) {
  Sync(0, Ms(10), {{"a", Ms(1010), 0, true}});
  Sync(1, Ms(20), {{"a", Ms(1010), 0, true}, {"b", Ms(1020), 0, true}});
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_TRUE(history_.server_holds[1].shared);
  Sync(2, Ms(30), {{"a", Ms(1010), 0, true}, {"b", Ms(1020), 0, true}, {"c", Ms(1030), 0, false}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(LedgerOfReadersTest, AReaderIsNotGrantedBesideAWriter) {
  Sync(0, Ms(10), {{"a", Ms(1010), 0, false}});
  Sync(1, Ms(20), {{"a", Ms(1010), 0, false}, {"b", Ms(1020), 0, true}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

/// C1 reads over [10, 500); C2 is refused over [100, 102].
History RefusedBesideAReader(bool shared) {
  History history = NewHistory();
  history.server_holds = {
      Shared(Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500)))};
  history.attempts = {Shared(Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk)),
                      Answered(Asked(1, Ask::kTry, Ms(100)), Ms(102), StatusCode::kNotAcquired)};
  history.attempts[1].shared = shared;
  return history;
}

std::vector<Violation> Refusals(const History& history) {
  std::vector<Violation> violations;
  JudgeRefusals(history, violations);
  return violations;
}

TEST(ReadersTest, AReaderRefusedBesideReadersWasRefusedForNothing) {
  EXPECT_THAT(PropertiesOf(Refusals(RefusedBesideAReader(true))),
              ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(Refusals(RefusedBesideAReader(false)), IsEmpty());
}

TEST(ReadersTest, AWriterThatAsksMayBeInAReadersWayAndAReaderMayNot) {
  History history = RefusedBesideAReader(true);
  history.attempts.push_back(Asked(2, Ask::kWait, Ms(50)));
  EXPECT_THAT(Refusals(history), IsEmpty());
  history.attempts.back().shared = true;
  EXPECT_THAT(PropertiesOf(Refusals(history)), ElementsAre(Judged::kSpuriousRefusal));
}

// Not of readers alone: any lock with a line may still know the client's earlier life.
TEST(ReadersTest, ADeadWriterMayBeInTheWayOfItsNextLife) {
  History history = RefusedBesideAReader(true);
  EXPECT_THAT(PropertiesOf(Refusals(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.attempts.push_back(Asked(1, Ask::kWait, Ms(50)));
  history.deaths = {{1, Ms(60)}};
  EXPECT_THAT(Refusals(history), IsEmpty());
}

/// C1 reads, and extends again and again, until 60 s. C2 waits from 100 ms on, until then.
History WaitsBesideALongReader(bool shared) {
  History history = NewHistory();
  history.lease = std::chrono::seconds(60);
  history.server_holds = {
      Shared(Ended(Owns(0, Ms(10), Ms(60'010)), ServerHoldEnd::kReleased, Ms(60'000)))};
  history.holds = {Shared(Released(Believes(0, Ms(11), Ms(60'000)), Ms(60'000), Ms(60'001)))};
  history.attempts = {Shared(Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk)),
                      Answered(Asked(1, Ask::kWait, Ms(100)), Ms(60'002), StatusCode::kOk)};
  history.attempts[1].shared = shared;
  return history;
}

std::vector<Violation> Progress(const History& history) {
  std::vector<Violation> violations;
  JudgeProgress(history, {.wake_up_bound = kLease, .longest_use = history.lease}, violations);
  return violations;
}

TEST(ReadersTest, AReaderIsForgottenThoughReadersAreInside) {
  EXPECT_THAT(PropertiesOf(Progress(WaitsBesideALongReader(true))), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(Progress(WaitsBesideALongReader(false)), IsEmpty());
}

TEST(ReadersTest, AWaitingWriterIsInTheWayOnlyIfItIsPreferredAndAlive) {
  History history = WaitsBesideALongReader(true);
  history.attempts.push_back(
      Answered(Asked(2, Ask::kWait, Ms(50)), Ms(60'001), StatusCode::kTimeout));
  EXPECT_THAT(PropertiesOf(Progress(history)), ElementsAre(Judged::kDeadlock));
  history.prefers_writers = true;
  EXPECT_THAT(Progress(history), IsEmpty());
  history.deaths = {{2, Ms(500)}};
  EXPECT_THAT(PropertiesOf(Progress(history)), ElementsAre(Judged::kDeadlock));
}

/// C1 and C2 read together, C1 granted first; then C3 writes.
History TwoReadersAndAWriter(std::vector<Access> accesses) {
  History history = NewHistory();
  history.server_holds = {Shared(Owns(0, Ms(10), Ms(1010))), Shared(Owns(1, Ms(20), Ms(1020))),
                          Owns(2, Ms(2000), Ms(3000))};
  history.holds = {Shared(Believes(0, Ms(11), Ms(1000))), Shared(Believes(1, Ms(21), Ms(1000))),
                   Believes(2, Ms(2001), Ms(2990))};
  for (ClientHold& hold : history.holds) hold.asked = hold.belief.front().from - Ms(2);
  history.accesses = std::move(accesses);
  return history;
}

std::vector<Violation> WritesOf(const History& history) {
  std::vector<Violation> violations;
  JudgeWrites(history, true, violations);
  return violations;
}

TEST(ReadersTest, MayReadInAnyOrderButNotBehindALaterWriter) {
  const Access first{0, false, Ms(50), Ms(50), true};
  const Access second{1, false, Ms(40), Ms(40), true};
  const Access late{0, false, Ms(2600), Ms(2600), true};
  const Access write{2, true, Ms(2500), Ms(2501), true};
  EXPECT_THAT(WritesOf(TwoReadersAndAWriter({second, first, write})), IsEmpty());
  EXPECT_THAT(PropertiesOf(WritesOf(TwoReadersAndAWriter({second, first, write, late}))),
              ElementsAre(Judged::kFencedWrites));
}

TEST(ReadersTest, WhatIsFencedLetsReadersInByTheTokensOfWriters) {
  GuardedResource resource(GuardKind::kFenced);
  EXPECT_TRUE(resource.Read({0, 33, false}));
  EXPECT_TRUE(resource.Read({2, 36, true}));
  EXPECT_TRUE(resource.Read({1, 35, true}));
  EXPECT_FALSE(resource.Write({0, 33, false}, 1));  // a reader has been told another value
  EXPECT_TRUE(resource.Write({3, 37, false}, 1));
  EXPECT_FALSE(resource.Read({2, 36, true}));
}

TEST(ReadersTest, AReaderTakesNoPlaceBeforeACheckAndSet) {
  GuardedResource resource(GuardKind::kCheckAndSet);
  EXPECT_TRUE(resource.Read({0, {}, false}));
  EXPECT_TRUE(resource.Read({1, {}, true}));
  EXPECT_TRUE(resource.Write({0, {}, false}, 1));
}

TEST(ReadersTest, ReachGoalsOfTheirOwn) {
  const auto goals_of = [](const History& history) {
    GoalSet goals;
    AddGoals(history, goals);
    return goals;
  };
  History history = TwoReadersAndAWriter({});
  for (ClientHold& hold : history.holds) hold.section = hold.belief.front();
  GoalSet goals = goals_of(history);
  EXPECT_TRUE(goals.Has(Goal::kReadersTogether));
  EXPECT_FALSE(goals.Has(Goal::kContended));
  EXPECT_FALSE(goals.Has(Goal::kWriterWaited));
  history.attempts = {Answered(Asked(2, Ask::kWait, Ms(500)), Ms(2001), StatusCode::kOk)};
  goals = goals_of(history);
  EXPECT_TRUE(goals.Has(Goal::kWriterWaited));
  EXPECT_TRUE(goals.Has(Goal::kContended));
  history.attempts = {Shared(Answered(Asked(3, Ask::kWait, Ms(2500)), Ms(3001), StatusCode::kOk))};
  goals = goals_of(history);
  EXPECT_TRUE(goals.Has(Goal::kReaderWaited));
  EXPECT_FALSE(goals.Has(Goal::kWriterWaited));
}

TEST(ReadersTest, AreDrawnBesideEverythingElse) {
  const Scenario& scenario = *FindScenario("chaos");
  const Generator without(scenario);
  const Generator with(scenario, Extras{.readers = true});
  int mixed = 0;
  int writers_only = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Workload drawn = with.Draw(seed);
    int readers = 0;
    int operations = 0;
    for (ClientPlan& client : drawn.clients) {
      for (Operation& operation : client.operations) {
        readers += operation.shared ? 1 : 0;
        ++operations;
        operation.shared = false;
      }
    }
    EXPECT_EQ(drawn, without.Draw(seed));
    mixed += readers > 0 && readers < operations ? 1 : 0;
    writers_only += readers == 0 ? 1 : 0;
  }
  EXPECT_GT(mixed, 200);
  EXPECT_GT(writers_only, 40);
}

TEST(ReadersTest, AWriterIsSimplerThanAReader) {
  Workload workload;
  workload.lease = kLease;
  workload.clients = {{.operations = {{.shared = true}}, .faults = {}}};
  EXPECT_TRUE(HasReaders(workload));
  const std::vector<Workload> simpler = SimplerKinds(workload);
  ASSERT_EQ(simpler.size(), 1U);
  EXPECT_FALSE(HasReaders(simpler[0]));
}

}  // namespace
}  // namespace interlock::scenarios
