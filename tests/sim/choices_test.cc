// SPDX-License-Identifier: MIT
#include "sim/choices.h"

#include <gtest/gtest.h>

#include <set>

namespace interlock::sim {
namespace {

TEST(ChoicesTest, SameSeedDrawsTheSameValues) {
  Choices first = Choices::FromSeed(7);
  Choices second = Choices::FromSeed(7);
  for (int i = 0; i < 1000; ++i) {
    const auto lane = static_cast<Lane>(i % 3);
    const auto bound = static_cast<std::uint32_t>(2 + i);
    const std::uint32_t value = first.Draw(lane, bound);
    EXPECT_LT(value, bound);
    EXPECT_EQ(value, second.Draw(lane, bound));
  }
  EXPECT_EQ(first.TakeTape(), second.TakeTape());
}

// Frozen: a change of the generator would silently change what every recorded seed means.
TEST(ChoicesTest, ValuesOfSeedOneAreFrozen) {
  Choices choices = Choices::FromSeed(1);
  std::vector<std::uint32_t> values;
  for (int i = 0; i < 6; ++i) values.push_back(choices.Draw(Lane::kSchedule, 1000));
  EXPECT_EQ(values, (std::vector<std::uint32_t>{376, 912, 23, 91, 392, 165}));
}

TEST(ChoicesTest, LanesAreIndependent) {
  Choices plain = Choices::FromSeed(3);
  Choices other = Choices::FromSeed(3);
  for (int i = 0; i < 10; ++i) other.Draw(Lane::kSchedule, 5);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(plain.Draw(Lane::kNetwork, 1 << 20), other.Draw(Lane::kNetwork, 1 << 20));
  }
}

TEST(ChoicesTest, BoundOfOneDrawsNothing) {
  Choices choices = Choices::FromSeed(1);
  EXPECT_EQ(choices.Draw(Lane::kFault, 1), 0u);
  EXPECT_EQ(choices.draws(), 0u);
  EXPECT_EQ(choices.TakeTape().size(), 0u);
}

TEST(ChoicesTest, ReplayIsTotal) {
  Tape tape;
  tape.lanes[0] = {4, 99, 0xffffffff};
  Choices choices = Choices::FromTape(tape);
  EXPECT_EQ(choices.Draw(Lane::kSchedule, 5), 4u);
  EXPECT_EQ(choices.Draw(Lane::kSchedule, 5), 4u) << "beyond the bound is clamped";
  EXPECT_EQ(choices.Draw(Lane::kSchedule, 5), 4u);
  EXPECT_EQ(choices.Draw(Lane::kSchedule, 5), 0u) << "past the end is calm";
  EXPECT_EQ(choices.Draw(Lane::kNetwork, 5), 0u);
  Tape expected;
  expected.lanes[0] = {4, 4, 4};
  EXPECT_EQ(choices.TakeTape(), expected) << "clamped values, without trailing zeros";
}

TEST(ChoicesTest, RecordedTapeReplaysTheSameValues) {
  Choices random = Choices::FromSeed(11);
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < 200; ++i) values.push_back(random.Draw(Lane::kNetwork, 2 + i % 50));
  Choices replay = Choices::FromTape(random.TakeTape());
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(values[i], replay.Draw(Lane::kNetwork, 2 + i % 50));
  }
}

TEST(ChoicesTest, EveryValueOfASmallBoundOccurs) {
  Choices choices = Choices::FromSeed(5);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(choices.Draw(Lane::kSchedule, 6));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(MixSeedTest, StreamsDiffer) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) seeds.insert(MixSeed(42, stream));
  EXPECT_EQ(seeds.size(), 1000u);
}

/// Always the last one.
class LastSource final : public ChoiceSource {
 public:
  std::uint32_t Draw(Lane, std::uint32_t bound) override { return bound - 1; }
  std::uint32_t PickTask(std::span<const Candidate> candidates) override {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].process == 7) return static_cast<std::uint32_t>(i);
    }
    return 0;
  }
  std::optional<Fault> InjectFault(int, int step, StepKind kind) override {
    if (step != 4 || kind != StepKind::kReply || ++injected_ > 1) return std::nullopt;
    return Fault{FaultKind::kCrash, 99, 99, {}};
  }
  bool sees_candidates() const override { return true; }
  bool injects_faults() const override { return true; }

 private:
  int injected_ = 0;
};

TEST(ChoicesTest, ASourceOfTheCallerDecidesAndIsRecorded) {
  Choices choices = Choices::FromSource(std::make_unique<LastSource>());
  EXPECT_EQ(choices.Draw(Lane::kFault, 3), 2u);
  EXPECT_EQ(choices.PickLatency(0, 10), 9u);
  const std::vector<Candidate> candidates = {{1, 0, 0, 0}, {7, 1, 0, 0}, {2, 2, 0, 0}};
  EXPECT_EQ(choices.PickTask(candidates), 1u);
  EXPECT_EQ(choices.PickTask(std::span(candidates).first(1)), 0u) << "nothing to choose";
  Tape expected;
  expected.lanes = {{{1}, {9}, {2}}};
  EXPECT_EQ(choices.TakeTape(), expected);
  EXPECT_EQ(choices.draws(), 3u);
}

TEST(ChoicesTest, AnInjectedFaultIsReportedWithItsPlace) {
  Choices choices = Choices::FromSource(std::make_unique<LastSource>());
  EXPECT_FALSE(choices.InjectFault(2, 4, StepKind::kClock));
  const std::optional<Fault> fault = choices.InjectFault(2, 4, StepKind::kReply);
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault, (Fault{FaultKind::kCrash, 2, 4, {}}));
  EXPECT_FALSE(choices.InjectFault(2, 4, StepKind::kReply));
  EXPECT_EQ(choices.injected(), FaultPlan{*fault});
}

TEST(ChoicesTest, SeedAndTapeNeitherSeeCandidatesNorInject) {
  EXPECT_FALSE(Choices::FromSeed(1).sees_candidates());
  EXPECT_FALSE(Choices::FromSeed(1).injects_faults());
  EXPECT_FALSE(Choices::FromTape({}).sees_candidates());
  EXPECT_FALSE(Choices::FromTape({}).injects_faults());
}

}  // namespace
}  // namespace interlock::sim
