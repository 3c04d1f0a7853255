// SPDX-License-Identifier: MIT
//
// The same verdicts in unit tests: a GoogleTest case for each scenario, and single verdicts as
// function calls.
#include <gtest/gtest.h>
#include <interlock/harness/check.h>
#include <interlock/harness/explore.h>
#include <interlock/harness/gtest.h>
#include <interlock/harness/guarantees.h>

#include "job_lock.h"

namespace {

namespace harness = interlock::harness;

// Registers the cases acme.job-lock.contention, acme.job-lock.crash and so on.
const bool kCases = harness::RegisterLockTests(acme::JobLock(), {.runs = 300});

TEST(JobLockTest, ThereIsACaseForEachScenario) {
  EXPECT_TRUE(kCases);
  const auto scenarios = harness::ScenariosFor(*acme::JobLock());
  EXPECT_GE(scenarios.size(), 8U);
  EXPECT_GE(testing::UnitTest::GetInstance()->total_test_count(),
            static_cast<int>(scenarios.size()));
}

TEST(JobLockTest, NaiveReleaseIsConvicted) {
  const auto verdict = harness::Check(acme::NaiveJobLock(), {.runs = 100, .scenario = "redis.d2"});
  EXPECT_TRUE(verdict.violated) << verdict.text;
}

// Every order of steps of two clients, with a crash and a lost reply anywhere.
TEST(JobLockTest, CrashAndLostReplyDoNoHarm) {
  const auto verdict = harness::Explore(acme::JobLock());
  EXPECT_TRUE(verdict.passed) << verdict.text;
}

TEST(JobLockTest, ExhaustiveSearchFindsTheNaiveRelease) {
  const auto verdict = harness::Explore(
      acme::NaiveJobLock(), {.scenario = "pause", .property = "LK005", .attempts = 3, .pauses = 1});
  EXPECT_TRUE(verdict.violated) << verdict.text;
}

TEST(JobLockTest, PromisesAreKept) {
  harness::GuaranteesOptions options;
  options.runs = 300;
  const auto verdict = harness::Guarantees(acme::JobLock(), options);
  EXPECT_FALSE(verdict.broken) << verdict.text;
}

}  // namespace
