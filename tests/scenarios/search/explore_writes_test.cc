// SPDX-License-Identifier: MIT
//
// The exhaustive search with something to guard: who comes back from a pause behind its lease may
// still write, and only what is guarded itself can refuse it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/search/explore/verdict.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

Bounds Writing(GuardKind guard, Bounds bounds) {
  bounds.writes = guard;
  return bounds;
}

class UnfencedWritesTest : public ExploreTest {};

class ExploredWritesTest : public ExploreTest, public ::testing::WithParamInterface<Case> {};

TEST_P(ExploredWritesTest, AgreesWithNaiveEnumeration) {
  ExploreOptions options = Options(GetParam());
  options.only = {Judged::kFencedWrites, Judged::kSectionExclusion, Judged::kServerExclusion};
  const Exploration merged = Explore(options);
  options.merge = false;
  options.symmetry = false;
  const Exploration naive = Explore(options);
  ExpectSame(merged, naive);
  EXPECT_GT(merged.exercised[Judged::kFencedWrites], 0U);
}

INSTANTIATE_TEST_SUITE_P(
    SmallBounds, ExploredWritesTest,
    ::testing::Values(Case{"Unfenced", "mutex", "guarded",
                           Writing(GuardKind::kUnfenced, Waiting(Of(2, 1)))},
                      Case{"UnfencedPause", "mutex", "guarded",
                           Writing(GuardKind::kUnfenced, WithPause(Waiting(Of(2, 1))))},
                      Case{"FencedPause", "mutex", "guarded",
                           Writing(GuardKind::kFenced, WithPause(Waiting(Of(2, 1))))},
                      Case{"CheckedPause", "mutex", "guarded",
                           Writing(GuardKind::kCheckAndSet, WithPause(Waiting(Of(2, 1))))}),
    [](const auto& parameter) { return parameter.param.name; });

TEST_F(UnfencedWritesTest, UnfencedWritesLoseAnUpdateWithOneExpiryAndOnePause) {
  ExploreOptions options = Options(
      {"", "mutex", "guarded", Writing(GuardKind::kUnfenced, WithPause(Waiting(Of(2, 1))))});
  options.only = {Judged::kFencedWrites};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  const MinimalCase& found = *exploration.violation;
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.faults, 1);
  EXPECT_EQ(found.workload.guard, GuardKind::kUnfenced);
  EXPECT_THAT(VerdictText(exploration, options.bounds), HasSubstr(", unfenced writes, "));
}

// The lock can do nothing about it.
TEST_F(UnfencedWritesTest, UnfencedWritesAreNotHeldAgainstALockThatIsAskedForItsPromises) {
  ExploreOptions options = Options(
      {"", "mutex", "guarded", Writing(GuardKind::kUnfenced, WithPause(Waiting(Of(2, 1))))});
  EXPECT_FALSE(Explore(options).violation.has_value());
  EXPECT_FALSE(WhyNotDemanded(Judged::kFencedWrites, options).empty());
  options.bounds.writes = GuardKind::kFenced;
  EXPECT_TRUE(WhyNotDemanded(Judged::kFencedWrites, options).empty());
}

TEST_F(UnfencedWritesTest, FencedWritesLoseNone) {
  ExploreOptions options =
      Options({"", "mutex", "guarded", Writing(GuardKind::kFenced, WithPause(Waiting(Of(2, 2))))});
  options.only = {Judged::kFencedWrites};
  const Exploration exploration = Explore(options);
  EXPECT_TRUE(exploration.complete);
  EXPECT_FALSE(exploration.violation.has_value());
  EXPECT_GT(exploration.exercised[Judged::kFencedWrites], 0U);
}

}  // namespace
}  // namespace interlock::scenarios
