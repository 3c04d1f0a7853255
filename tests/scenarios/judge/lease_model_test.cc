// SPDX-License-Identifier: MIT
//
// The search for an order that explains what clients were told, on histories written by hand: those
// that only all answers together contradict, and their innocent neighbours.
#include "scenarios/judge/lease_model.h"

#include <gtest/gtest.h>

#include "scenarios/judge/outside.h"
#include "tests/scenarios/run/processes/story.h"

namespace interlock::scenarios::real {
namespace {

std::optional<ModelDepth> Fails(const Story& story, int permits = 1,
                                const harness::Traits& traits = {}) {
  const ModelAnswer answer = SearchModel(story.Told(5000, permits), traits, ModelDepth::kRefusals);
  EXPECT_FALSE(answer.gave_up);
  return answer.fails;
}

/// Granted some time within 99 ms, and nothing proves when: no lease is believed in.
Story Late(Story story, int client) { return story.Ask(client, 0).Granted(client, 99, 99); }

TEST(LeaseModelTest, ExplainsTurnsInAnyOrderOfOverlappingCalls) {
  EXPECT_EQ(Fails(Story().Turn(0, 0, 1, 30).Turn(1, 0, 31, 60).Turn(2, 0, 61, 90)), std::nullopt);
  EXPECT_EQ(Fails(Story().Turn(2, 0, 61, 90).Turn(1, 0, 31, 60).Turn(0, 0, 1, 30)), std::nullopt);
}

TEST(LeaseModelTest, TwoLeasesFitIntoTheTimeOfOneButNotThree) {
  // One at 0, which may end at 97, and the next one then; a third one has no place.
  const Story two = Late(Late(Story(), 0), 1);
  EXPECT_EQ(Fails(two), std::nullopt);
  const Story three = Late(two, 2);
  EXPECT_EQ(Fails(three), ModelDepth::kGrants);
  EXPECT_EQ(Fails(three, 2), std::nullopt);
  EXPECT_EQ(Fails(Story(three).Release(0, 99, 99)), std::nullopt) << "at 99 the third one follows";
  OutsideRules rules;
  rules.key_limits = {100, {}};
  EXPECT_NE(JudgeTold(three.Told(), rules).Find(Judged::kServerExclusion), nullptr)
      << "which no single rule sees";
}

TEST(LeaseModelTest, ReadersFitTogetherButNotBesideAWriter) {
  const auto reads = [](Story story, int client) {
    return story.AskToRead(client, 0).Granted(client, 99, 99);
  };
  const Story three = reads(reads(reads(Story(), 0), 1), 2);
  EXPECT_EQ(Fails(three), std::nullopt);
  EXPECT_EQ(Fails(Late(Late(three, 3), 3)), ModelDepth::kGrants) << "two writers and readers";
}

TEST(LeaseModelTest, WhoeverWasFollowedHasNothingToRelease) {
  // The first lease may last until 104 by itself; but the next one was granted by 99.
  const Story followed = Story().Ask(0, 0).Granted(0, 1, 99).Ask(1, 98).Granted(1, 99, 196);
  EXPECT_EQ(Fails(Story(followed).Release(0, 100, 101)), ModelDepth::kReleases);
  EXPECT_EQ(Fails(Story(followed).Release(0, 100, 101, StatusCode::kNotOwner)), std::nullopt);
  EXPECT_EQ(Fails(Story(followed).Release(0, 98, 101)), std::nullopt) << "it came first";
  EXPECT_EQ(Fails(Story(followed).Release(0, 100, 101), 1, {.lock_delay = true}), std::nullopt);
}

TEST(LeaseModelTest, WhoeverWasFollowedHasNothingToExtend) {
  const Story followed = Story().Ask(0, 0).Granted(0, 1, 99).Ask(1, 98).Granted(1, 99, 196);
  EXPECT_EQ(Fails(Story(followed).Extend(0, 100, 101, 199)), ModelDepth::kExtends);
  EXPECT_EQ(Fails(Story(followed).Extend(0, 100, 101, 99, StatusCode::kUnknownOutcome)),
            std::nullopt);
  EXPECT_EQ(Fails(Story().Ask(0, 0).Granted(0, 1, 99).Extend(0, 50, 60, 149).Release(0, 150, 151)),
            std::nullopt);
}

TEST(LeaseModelTest, ARefusalNeedsSomebodyWhoHolds) {
  const Story held = Story().Ask(0, 0).Granted(0, 1, 99);
  EXPECT_EQ(Fails(Story(held).Ask(1, 104).Refused(1, 106)), std::nullopt);
  EXPECT_EQ(Fails(Story(held).Ask(1, 105).Refused(1, 106)), ModelDepth::kRefusals);
  EXPECT_EQ(Fails(Story(held).Ask(2, 50).Ask(1, 105).Refused(1, 106)), std::nullopt)
      << "somebody without an answer may hold";
  EXPECT_EQ(Fails(Story(held).Ask(1, 105).Refused(1, 106), 1, {.renews = true}), std::nullopt);
}

TEST(LeaseModelTest, AnUnknownReleaseMayHaveEndedItOrNot) {
  const Story unknown =
      Story().Ask(0, 0).Granted(0, 1, 99).Release(0, 10, 20, StatusCode::kUnknownOutcome);
  EXPECT_EQ(Fails(Story(unknown).Ask(1, 30).Granted(1, 31, 129)), std::nullopt);
  EXPECT_EQ(Fails(Story(unknown).Ask(1, 30).Refused(1, 31)), std::nullopt);
}

TEST(LeaseModelTest, GivesUpAtItsLimitsAndThenSaysNothing) {
  const History three = Late(Late(Late(Story(), 0), 1), 2).Told();
  for (const ModelLimits& limits :
       {ModelLimits{.operations = 2}, ModelLimits{.operations = 64, .steps = 1}}) {
    const ModelAnswer answer = SearchModel(three, {}, ModelDepth::kRefusals, limits);
    EXPECT_TRUE(answer.gave_up);
    EXPECT_EQ(answer.fails, std::nullopt);
  }
}

}  // namespace
}  // namespace interlock::scenarios::real
