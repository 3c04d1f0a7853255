// SPDX-License-Identifier: MIT
//
// What a user's unit tests are told: of a scenario that does not exist, and of guarantees as JSON.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <interlock/harness/gtest.h>
#include <interlock/harness/guarantees.h>

#include "job_lock.h"

namespace {

TEST(LockTestTest, ACaseOfAScenarioThatDoesNotExistFails) {
  interlock::harness::LockTest mistyped(acme::JobLock(), {.scenario = "crahs"});
  EXPECT_NONFATAL_FAILURE(mistyped.TestBody(), "did you mean \"crash\"");
}

TEST(LockTestTest, GuaranteesAreATableAsJsonToo) {
  interlock::harness::GuaranteesOptions options;
  options.runs = 50;
  options.faults = "client-*";
  const auto verdict = interlock::harness::Guarantees(acme::JobLock(), options);
  EXPECT_FALSE(verdict.broken) << verdict.text;
  EXPECT_NE(verdict.json.find("interlock.guarantees/1"), std::string::npos);
}

}  // namespace
