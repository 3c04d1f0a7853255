// SPDX-License-Identifier: MIT
//
// Operators, judged on hand-written histories: whom a forced release may hit, what its operator may
// be told, and what the victim is excused from. The lease is 1000 ms.
#include "scenarios/log/forced.h"
#include "scenarios/log/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/progress.h"
#include "scenarios/log/ledger.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using testing::Inside;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

constexpr int kOperator = 2;

/// The operator has seen C1, and acts from 300 ms to 310 ms.
Force OfC1(StatusCode answer = StatusCode::kOk) {
  Force force;
  force.client = kOperator;
  force.token = "t0";
  force.looked = Ms(190);
  force.inspected = Ms(200);
  force.called = Ms(300);
  force.answered = Ms(310);
  force.answer = answer;
  return force;
}

/// C1 is granted at 100 ms; the operator takes that away at 305 ms.
History ForcedOut() {
  History history = NewHistory();
  history.recalls_releases = true;
  history.holds = {Inside(Believes(0, Ms(100), Ms(1100)), Ms(100), Ms(900))};
  history.server_holds = {Ended(Owns(0, Ms(100), Ms(1100)), ServerHoldEnd::kForced, Ms(305))};
  history.forces = {OfC1()};
  return history;
}

std::vector<Violation> JudgeAnswer(History history) {
  std::vector<Violation> violations;
  CompareForced(history.forces.front(), history);
  testing::JudgeObserved(history, violations);
  return violations;
}

std::vector<Violation> JudgeOverlaps(const History& history) {
  std::vector<Violation> violations;
  JudgeExclusion(history, {}, violations);
  return violations;
}

/// What the ledger makes of a command of the operator at 305 ms that leaves nobody there.
std::vector<Violation> JudgeRemoval(History& history) {
  std::vector<Violation> violations;
  Ledger().Sync(kOperator, Doing::kForcing, Ms(305), {}, history);
  testing::JudgeObserved(history, violations);
  return violations;
}

TEST(ForcedTest, WhoWasSeenMayBeForcedOutAndItsPromiseEnds) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(100), Ms(1100))};
  history.forces = {OfC1()};
  EXPECT_THAT(JudgeRemoval(history), IsEmpty());
  EXPECT_EQ(history.server_holds[0].end, ServerHoldEnd::kForced);
  EXPECT_EQ(history.server_holds[0].promise_end(), Ms(305));
}

TEST(ForcedTest, WhoHasComeSinceMayNot) {
  History history = NewHistory();
  history.server_holds = {Owns(1, Ms(250), Ms(1250))};
  history.forces = {OfC1()};
  const auto violations = JudgeRemoval(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kForeignRelease));
  EXPECT_THAT(violations[0].what, HasSubstr("C3 removed the lock while C2 owned it"));
}

// Of a lock that nests, holders are holds: their tokens say nothing of their owner's.
TEST(ForcedTest, OfALockThatNestsWhoeverHeldBeforeTheInspectionMayBeForcedOut) {
  History history = NewHistory();
  history.nests = true;
  history.server_holds = {Owns(1, Ms(250), Ms(1250))};
  history.forces = {OfC1()};
  EXPECT_THAT(PropertiesOf(JudgeRemoval(history)), ElementsAre(Judged::kForeignRelease));
  history.server_holds = {Owns(1, Ms(150), Ms(1150))};
  EXPECT_THAT(JudgeRemoval(history), IsEmpty());
}

TEST(ForcedTest, ReleasedIsTrueOfWhatHasBeenReleasedByWhomever) {
  History history = ForcedOut();
  EXPECT_THAT(JudgeAnswer(history), IsEmpty());
  history.server_holds[0].end = ServerHoldEnd::kReleased;
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "the holder was first";
  history.server_holds[0].token = "another";
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "nothing is known of it";
}

TEST(ForcedTest, ReleasedOfWhatGoesOnOrHadExpiredIsConvicted) {
  History history = ForcedOut();
  history.server_holds = {Owns(0, Ms(100), Ms(1100))};
  const auto violations = JudgeAnswer(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kForeignRelease));
  EXPECT_THAT(violations[0].what, HasSubstr("C3, an operator, was told \"released\""));
  history.server_holds = {Ended(Owns(0, Ms(0), Ms(250)), ServerHoldEnd::kExpired, Ms(250))};
  EXPECT_THAT(JudgeAnswer(history), ::testing::SizeIs(1));
}

TEST(ForcedTest, WithoutATraceEitherIsSaidOfALeaseThatHasEnded) {
  History history = ForcedOut();
  history.recalls_releases = false;
  history.server_holds = {Ended(Owns(0, Ms(0), Ms(250)), ServerHoldEnd::kExpired, Ms(250))};
  EXPECT_THAT(JudgeAnswer(history), IsEmpty());
  history.forces = {OfC1(StatusCode::kNotOwner)};
  EXPECT_THAT(JudgeAnswer(history), IsEmpty());
  history.forces = {OfC1()};
  history.server_holds = {Owns(0, Ms(100), Ms(1100))};
  EXPECT_THAT(JudgeAnswer(history), ::testing::SizeIs(1)) << "it has it still";
}

TEST(ForcedTest, ReleasedIsTrueThoughTheSameTokenWasGrantedAnewSince) {
  History history = ForcedOut();
  history.server_holds.push_back(Owns(0, Ms(306), Ms(1306)));
  EXPECT_THAT(JudgeAnswer(history), IsEmpty());
  history.server_holds.front().end = ServerHoldEnd::kExpired;
  EXPECT_THAT(JudgeAnswer(history), ::testing::SizeIs(1))
      << "the other one was not released either";
  history.server_holds.back().end = ServerHoldEnd::kReleased;
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "there is a trace of the token";
}

TEST(ForcedTest, WhatWasReleasedBeforeTheInspectionIsNotWhatWasSeen) {
  History history = ForcedOut();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(50)),
                          Owns(0, Ms(100), Ms(1100))};
  EXPECT_THAT(JudgeAnswer(history), ::testing::SizeIs(1));
}

TEST(ForcedTest, OfAQuorumEnoughServersMustHaveReleased) {
  History history = ForcedOut();
  history.nodes = 3;
  history.quorum = 2;
  ServerHold other = Owns(0, Ms(100), Ms(1100));
  other.node = 1;
  history.server_holds.push_back(other);
  EXPECT_THAT(JudgeAnswer(history), ::testing::SizeIs(1));
  history.server_holds[1] = Ended(other, ServerHoldEnd::kForced, Ms(306));
  EXPECT_THAT(JudgeAnswer(history), IsEmpty());
}

TEST(ForcedTest, NotOwnerOfWhatItHasJustReleasedIsConvicted) {
  History history = ForcedOut();
  history.forces = {OfC1(StatusCode::kNotOwner)};
  ASSERT_THAT(PropertiesOf(JudgeAnswer(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.server_holds[0].ended = Ms(299);
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "another one had released it";
  history = ForcedOut();
  history.forces = {OfC1(StatusCode::kNotOwner), OfC1()};
  history.forces[1].client = kOperator + 1;
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "another operator had";
  history.forces[1].called = Ms(311);
  ASSERT_THAT(PropertiesOf(JudgeAnswer(history)), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(ForcedTest, NotOwnerOfWhoHasItAllTheTimeIsConvicted) {
  History history = ForcedOut();
  history.forces = {OfC1(StatusCode::kNotOwner)};
  history.server_holds = {Owns(0, Ms(100), Ms(1100))};
  ASSERT_THAT(PropertiesOf(JudgeAnswer(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.server_holds[0].promised_until = Ms(305);
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "its lease ended meanwhile";
  history.server_holds = {Owns(0, Ms(195), Ms(1195))};
  EXPECT_THAT(JudgeAnswer(history), IsEmpty()) << "another grant of it may be what was seen";
}

TEST(ForcedTest, AnOperatorMaySayItAgainUntilOthersHaveCome) {
  History history = ForcedOut();
  Force again = OfC1(StatusCode::kNotOwner);
  again.called = Ms(311);
  again.answered = Ms(320);
  history.forces.push_back(again);
  const auto judge = [&history] {
    std::vector<Violation> violations;
    CompareForced(history.forces.back(), history);
    testing::JudgeObserved(history, violations);
    return violations;
  };
  ASSERT_THAT(PropertiesOf(judge()), ElementsAre(Judged::kSpuriousRefusal));
  history.forces.front().answered = kOpen;
  EXPECT_THAT(judge(), IsEmpty()) << "it has died before it was told";
  history.forces.front().answered = Ms(310);
  history.server_holds.push_back(Owns(1, Ms(307), Ms(1307)));
  EXPECT_THAT(judge(), IsEmpty());
  // Nor of a victim that waited on, and was granted another one.
  history.server_holds.back() = Owns(0, Ms(307), Ms(1307));
  EXPECT_THAT(judge(), IsEmpty());
}

TEST(ForcedTest, TheVictimsBeliefAndSectionAreInNobodysWay) {
  History history = ForcedOut();
  history.holds.push_back(Inside(Believes(1, Ms(310), Ms(1310)), Ms(310), Ms(800)));
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), Ms(305));
  EXPECT_THAT(JudgeOverlaps(history), IsEmpty());
  history.holds[1].belief = {{Ms(304), Ms(1310)}};
  EXPECT_THAT(PropertiesOf(JudgeOverlaps(history)), ElementsAre(Judged::kBeliefExclusion));
}

TEST(ForcedTest, OthersAreInEachOthersWayAsEver) {
  History history = ForcedOut();
  history.holds.push_back(Believes(1, Ms(310), Ms(1310)));
  history.holds.push_back(Believes(3, Ms(320), Ms(1320)));
  EXPECT_THAT(PropertiesOf(JudgeOverlaps(history)), ElementsAre(Judged::kBeliefExclusion));
}

// Its client may be granted it again with the same token, as one that stands in line for it.
TEST(ForcedTest, ALaterGrantOfTheSameTokenIsNoVictims) {
  History history = ForcedOut();
  history.server_holds.push_back(Owns(0, Ms(400), Ms(1400)));
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), kOpen);
}

TEST(ForcedTest, WhereNobodySeesOwnersTheForceItselfCounts) {
  History history = ForcedOut();
  history.server_holds.clear();
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), kOpen);
  history.ownership_seen = false;
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), Ms(300));
}

TEST(ForcedTest, AVictimIsNotExcusedThatFetchedAfterwardsWhatItHadBeenHanded) {
  History history = ForcedOut();
  history.holds[0].last_asked = Ms(305);
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), Ms(305));
  history.holds[0].last_asked = Ms(306);
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), kOpen);
  // What it has taken itself it may have asked other things about.
  history.server_holds[0].made_by = 0;
  EXPECT_EQ(ForcedOutAt(history, history.holds[0]), Ms(305));
}

TEST(ForcedTest, TheResourceIsFreeThoughTheVictimBelieves) {
  History history = ForcedOut();
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(100)), Ms(100)),
                      Answered(Asked(1, Ask::kWait, Ms(150)), Ms(400))};
  ProgressRules rules{kLease, kLease, 0};
  rules.hand_over_bound = std::chrono::milliseconds(64);
  std::vector<Violation> violations;
  JudgeProgress(history, rules, violations);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(369));
}

TEST(ForcedTest, WhatWasTakenAwayIsNothingLeftBehind) {
  History history = ForcedOut();
  history.holds = {Released(history.holds[0], Ms(900), Ms(901), StatusCode::kNotOwner)};
  std::vector<Violation> violations;
  JudgeOrphans(history, violations);
  EXPECT_THAT(violations, IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
