// SPDX-License-Identifier: MIT
//
// The comparison's own parts: a comparison that nobody has seen fail proves nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/redis/reply.h"
#include "tests/redis/differential/case.h"
#include "tests/redis/differential/compare.h"
#include "tests/redis/differential/coverage.h"
#include "tests/redis/differential/generator.h"

namespace interlock::testing {
namespace {

using sim::redis::ArrayValue;
using sim::redis::IntegerValue;
using sim::redis::StringValue;
using sim::redis::Value;

constexpr int kSize = 60;

TEST(CaseTest, TextOfAnyGeneratedCaseReadsBackTheSame) {
  for (const Profile& profile : Profiles()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Case sequence = AnyCase(profile)(rc::Random(seed), kSize).value();
      const Case parsed = ParseCase(ToText(sequence));
      ASSERT_EQ(parsed.steps.size(), sequence.steps.size());
      for (std::size_t i = 0; i < parsed.steps.size(); ++i) {
        EXPECT_EQ(parsed.steps[i].connection, sequence.steps[i].connection);
        EXPECT_EQ(parsed.steps[i].argv, sequence.steps[i].argv);
      }
    }
  }
}

TEST(GeneratorTest, TheSameSeedMakesTheSameCase) {
  for (const Profile& profile : Profiles()) {
    EXPECT_EQ(ToText(AnyCase(profile)(rc::Random(7), kSize).value()),
              ToText(AnyCase(profile)(rc::Random(7), kSize).value()));
  }
}

TEST(GeneratorTest, EveryConnectionAndBothProtocolsOccur) {
  std::set<std::size_t> connections;
  bool hello = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Step& step : AnyCase(Profiles()[0])(rc::Random(seed), kSize).value().steps) {
      connections.insert(step.connection);
      hello |= ToText(step).ends_with("HELLO 3");
    }
  }
  EXPECT_EQ(connections.size(), kConnections);
  EXPECT_TRUE(hello);
}

// As if the servers disagreed whenever a list is pushed to and a later command is DBSIZE.
bool Disagrees(const Case& sequence) {
  bool pushed = false;
  for (const Step& step : sequence.steps) {
    if (step.argv.empty()) continue;
    if (step.argv[0] == "RPUSH") pushed = true;
    if (pushed && step.argv[0] == "DBSIZE") return true;
  }
  return false;
}

TEST(ShrinkTest, OnlyTheStepsThatMatterRemainAndTheyAreShort) {
  rc::Shrinkable<Case> tree = AnyCase(Profiles()[0])(rc::Random(0), rc::kNominalSize);
  for (std::uint64_t seed = 0; !Disagrees(tree.value()); ++seed) {
    tree = AnyCase(Profiles()[0])(rc::Random(seed), rc::kNominalSize);
  }
  rc::Seq<rc::Shrinkable<Case>> candidates = tree.shrinks();
  Case least = tree.value();
  while (auto candidate = candidates.next()) {
    if (!Disagrees(candidate->value())) continue;
    least = candidate->value();
    candidates = candidate->shrinks();
  }
  EXPECT_EQ(ToText(least), "0> RPUSH\n0> DBSIZE\n");
}

Surroundings Now() { return {{}, {}, 1700000000000}; }

TEST(CompareTest, EveryDifferenceCounts) {
  EXPECT_TRUE(Agree(StringValue("a"), StringValue("a"), {}, Now()));
  EXPECT_FALSE(Agree(StringValue("a"), StringValue("b"), {}, Now()));
  EXPECT_FALSE(Agree(StringValue("1"), IntegerValue(1), {}, Now()));
  EXPECT_FALSE(Agree(sim::redis::NilValue(), sim::redis::NilArrayValue(), {}, Now()));
  EXPECT_FALSE(Agree(IntegerValue(60000), IntegerValue(-1), {}, Now()));
  const Value one = ArrayValue({StringValue("a"), StringValue("b")});
  const Value other = ArrayValue({StringValue("b"), StringValue("a")});
  EXPECT_FALSE(Agree(one, other, {}, Now()));
  EXPECT_TRUE(Agree(one, other, ToleranceFor({"smembers", "t1"}), Now()));
}

TEST(CompareTest, TwoReadingsOfOneTtlAgreeAndOtherNumbersDoNot) {
  EXPECT_TRUE(Agree(IntegerValue(60000), IntegerValue(59999), {}, Now()));
  EXPECT_TRUE(Agree(IntegerValue(60000000), IntegerValue(59998000), {}, Now()));
  EXPECT_TRUE(Agree(IntegerValue(1700060000123), IntegerValue(1700060000120), {}, Now()));
  EXPECT_FALSE(Agree(IntegerValue(60000), IntegerValue(59000), {}, Now()));
  EXPECT_FALSE(Agree(IntegerValue(3), IntegerValue(2), {}, Now()));
  EXPECT_FALSE(Agree(IntegerValue(4102444801), IntegerValue(4102444800), {}, Now()));
}

TEST(CompareTest, ClientIdsAgreeIfTheyNameTheSameConnection) {
  const std::array<std::int64_t, 2> real = {70, 71};
  const std::array<std::int64_t, 2> fake = {1, 2};
  const Surroundings surroundings{real, fake, 1700000000000};
  EXPECT_TRUE(Agree(IntegerValue(71), IntegerValue(2), {}, surroundings));
  EXPECT_FALSE(Agree(IntegerValue(71), IntegerValue(1), {}, surroundings));
}

TEST(CoverageTest, WhatWasNeverReachedIsAGap) {
  Coverage coverage;
  const std::vector<std::string> all = coverage.Gaps();
  EXPECT_NE(std::find(all.begin(), all.end(), "get: no WRONGTYPE"), all.end());
  const Value wrong_type = sim::redis::ErrorValue(sim::redis::kWrongType);
  coverage.Count({"GET", "l1"}, &wrong_type, Coverage::Way::kDirect);
  const std::vector<std::string> left = coverage.Gaps();
  EXPECT_EQ(std::find(left.begin(), left.end(), "get: no WRONGTYPE"), left.end());
  EXPECT_NE(std::find(left.begin(), left.end(), "get: no success"), left.end());
  EXPECT_NE(std::find(left.begin(), left.end(), "get: never by redis.call"), left.end());
}

}  // namespace
}  // namespace interlock::testing
