// SPDX-License-Identifier: MIT
//
// Every latch, ours and the specimens, against the fake Redis, called directly: as
// specimens_test.cc for locks. The bench's latches have two parties.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "tests/scenarios/subject_bench.h"

namespace interlock::scenarios {
namespace {

using harness::Lock;
using std::chrono::milliseconds;

std::vector<std::shared_ptr<const harness::Subject>> Latches() {
  std::vector<std::shared_ptr<const harness::Subject>> all;
  const auto add = [&all](const std::shared_ptr<const harness::Subject>& subject) {
    if (std::holds_alternative<harness::Latch>(subject->traits().kind)) all.push_back(subject);
  };
  for (const auto& subject : SoundSubjects()) add(subject);
  for (const Specimen& specimen : Specimens()) add(specimen.subject);
  return all;
}

class EveryLatch : public ::testing::TestWithParam<std::shared_ptr<const harness::Subject>> {
 protected:
  std::unique_ptr<Lock> NewLatch() { return bench_.NewLock(*GetParam()); }

  Bench bench_;
};

INSTANTIATE_TEST_SUITE_P(Latches, EveryLatch, ::testing::ValuesIn(Latches()),
                         [](const auto& parameter) {
                           std::string name;
                           for (const char c : parameter.param->name()) {
                             if (c != '/' && c != '-') name += c;
                           }
                           return name;
                         });

TEST_P(EveryLatch, OpensWhenAllPartiesHaveCountedDown) {
  const auto first = NewLatch();
  const auto second = NewLatch();
  EXPECT_EQ(first->TryAcquire().code(), StatusCode::kTimeout);
  EXPECT_TRUE(first->CountDown("one").ok());
  EXPECT_EQ(second->TryAcquire().code(), StatusCode::kTimeout) << "one of two";
  EXPECT_TRUE(second->CountDown("two").ok());
  EXPECT_TRUE(first->TryAcquire().ok());
  EXPECT_TRUE(second->AcquireUntil(kNever).ok()) << "it stays open";
}

TEST_P(EveryLatch, GivesUpAtTheDeadline) {
  const auto latch = NewLatch();
  const MonotonicTime deadline = bench_.Now() + milliseconds(350);
  EXPECT_EQ(latch->AcquireUntil(deadline).code(), StatusCode::kTimeout);
  EXPECT_GE(bench_.Now(), deadline - milliseconds(1)) << "Redis counts in milliseconds";
  EXPECT_LE(bench_.Now(), deadline + milliseconds(100));
}

TEST_P(EveryLatch, CountsAPartyTwiceOnlyIfThatIsItsStory) {
  const auto latch = NewLatch();
  EXPECT_TRUE(latch->CountDown("one").ok());
  EXPECT_TRUE(latch->CountDown("one").ok());
  const bool opens = GetParam()->name() == "broken/latch-counts-resends";
  EXPECT_EQ(latch->TryAcquire().ok(), opens);
}

TEST_P(EveryLatch, UsesNoKeyOutsideItsPrefixAndNoneThatLivesTooLong) {
  const auto latch = NewLatch();
  EXPECT_TRUE(latch->CountDown("one").ok());
  EXPECT_TRUE(latch->CountDown("two").ok());
  const auto keys = bench_.server().PeekKeys(0);
  EXPECT_FALSE(keys.empty());
  for (const auto& key : keys) {
    EXPECT_TRUE(key.key.starts_with(bench_.options().key_prefix)) << key.key;
    EXPECT_TRUE(key.expires_at_ms.has_value()) << key.key;
  }
}

/// Wherever the run is torn down, both come back at once.
TEST_P(EveryLatch, EndsWhenCancelledAnywhere) {
  for (int commands = 0; commands < 8; ++commands) {
    Bench bench;
    const auto latch = bench.NewLock(*GetParam());
    bench.CancelAfter(commands);
    const Status counted = latch->CountDown("one");
    EXPECT_TRUE(counted.ok() || counted.code() == StatusCode::kCancelled) << counted.ToString();
    EXPECT_EQ(latch->AcquireUntil(kNever).code(), StatusCode::kCancelled);
    EXPECT_LE(bench.sent(), commands + 20);
  }
}

}  // namespace
}  // namespace interlock::scenarios
