// SPDX-License-Identifier: MIT
//
// What a company's own unit tests look like: a case for each scenario, by one line, and verdicts as
// function calls.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <interlock/harness/explore.h>
#include <interlock/harness/gtest.h>
#include <interlock/harness/guarantees.h>

#include "acme_lock.h"

namespace {

const bool kCases = interlock::harness::RegisterLockTests(acme::SoundLock(), {.runs = 300});

TEST(AcmeLockTest, ThereIsACaseForEachScenario) {
  EXPECT_TRUE(kCases);
  const auto names = interlock::harness::ScenariosFor(*acme::SoundLock());
  EXPECT_GE(names.size(), 8U);
  EXPECT_GE(testing::UnitTest::GetInstance()->total_test_count(), static_cast<int>(names.size()));
}

TEST(AcmeLockTest, ItsGuaranteesCanBeTabulated) {
  interlock::harness::GuaranteesOptions options;
  options.runs = 50;
  options.faults = "client-*";
  const auto verdict = interlock::harness::Guarantees(acme::SoundLock(), options);
  EXPECT_FALSE(verdict.broken) << verdict.text;
  EXPECT_NE(verdict.json.find("interlock.guarantees/1"), std::string::npos);
}

TEST(AcmeLockTest, ACaseOfAScenarioThatDoesNotExistFails) {
  interlock::harness::LockTest mistyped(acme::SoundLock(), {.scenario = "crahs"});
  EXPECT_NONFATAL_FAILURE(mistyped.TestBody(), "did you mean \"crash\"");
}

TEST(AcmeLockTest, ABlindReleaseIsConvicted) {
  const auto verdict =
      interlock::harness::Check(acme::BlindReleaseLock(), {.runs = 100, .scenario = "redis.d2"});
  EXPECT_TRUE(verdict.violated) << verdict.text;
}

TEST(AcmeLockTest, ACrashAndALostReplyBetweenTwoClientsDoNoHarm) {
  const auto verdict = interlock::harness::Explore(acme::SoundLock());
  EXPECT_TRUE(verdict.passed) << verdict.text;
}

TEST(AcmeLockTest, APauseShowsTheBlindRelease) {
  const auto verdict = interlock::harness::Explore(
      acme::BlindReleaseLock(),
      {.scenario = "pause", .property = "LK005", .attempts = 3, .pauses = 1});
  EXPECT_TRUE(verdict.violated) << verdict.text;
}

}  // namespace
