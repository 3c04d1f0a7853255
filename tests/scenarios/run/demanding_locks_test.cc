// SPDX-License-Identifier: MIT
//
// Locks that a careless harness would judge wrongly: sound ones that work in another way than ours,
// and broken ones that are broken in silence.
#include <algorithm>
#include <chrono>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/run/run.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/hand_over_subject.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

std::vector<ResultRow> RowsOf(std::shared_ptr<const harness::Subject> subject,
                              std::string_view scenario) {
  CampaignOptions options;
  options.entries = {{std::move(subject), false, {}}};
  options.scenarios = {FindScenario(scenario)};
  options.runs = 300;
  return RunCampaign(options).report.results;
}

Verdict VerdictOn(const std::vector<ResultRow>& rows, std::string_view property) {
  for (const ResultRow& row : rows) {
    if (row.property == property) return row.verdict;
  }
  ADD_FAILURE() << "no row for " << property;
  return Verdict::kInconclusive;
}

TEST(DemandingLockTest, AReleaseThatGrantsToTheNextWaiterIsNoForeignRelease) {
  for (const std::string_view scenario : {"contention", "overstay"}) {
    for (const ResultRow& row : RowsOf(testing::HandOverSubject(), scenario)) {
      EXPECT_EQ(row.verdict, Verdict::kHolds) << scenario << " " << row.property << row.reason;
    }
  }
}

// Nothing went wrong, so there is no excuse for an entry that stays until its TTL, whatever the
// release says about it.
TEST(DemandingLockTest, AReleaseThatDoesNothingIsConvictedWhateverItAnswers) {
  for (const StatusCode answer : {StatusCode::kOk, StatusCode::kNotOwner, StatusCode::kUnavailable,
                                  StatusCode::kUnknownOutcome, StatusCode::kTimeout}) {
    const auto rows = RowsOf(testing::PlainSubject({.release_answer = answer}), "contention");
    EXPECT_EQ(VerdictOn(rows, "keys"), Verdict::kViolated) << ToString(answer);
  }
}

TEST(DemandingLockTest, AnExtensionThatDoesNothingIsConvicted) {
  const auto rows = RowsOf(testing::PlainSubject({.extend_in_words_only = true}), "overstay");
  EXPECT_EQ(VerdictOn(rows, "foreign-extend"), Verdict::kViolated);
}

TEST(DemandingLockTest, ALockThatHidesItsOwnerIsJudgedByTheRest) {
  const auto rows = RowsOf(testing::PlainSubject({.hide_owner = true}), "overstay");
  for (const ResultRow& row : rows) {
    EXPECT_NE(row.property, "server-exclusion");
    EXPECT_NE(row.property, "foreign-release");
    EXPECT_EQ(row.verdict, Verdict::kHolds) << row.property;
  }
}

/// Takes the lock, gives it back for somebody else, and pauses for 5, which was meant as
/// milliseconds.
std::shared_ptr<const harness::Subject> AlwaysAfterYou() {
  using specimens::Attempt;
  using specimens::RedisClient;
  return specimens::MakeLock(
      {.name = "test/after-you",
       .summary = "gives back what it has got, again and again",
       .lock =
           [](RedisClient& redis, Attempt& attempt) {
             if (Status locked = specimens::LockCorrectly(redis, attempt); !locked.ok()) {
               return locked;
             }
             const Status given_back = specimens::UnlockCorrectly(redis, attempt);
             return given_back.ok() ? Status(StatusCode::kNotAcquired, "after you") : given_back;
           },
       .wait =
           [](RedisClient& redis, Attempt& /*attempt*/) {
             redis.Sleep(std::chrono::microseconds(5));
             return Status();
           }});
}

// A hundred thousand grants in one run: an oracle that looked through all of them at each command
// would take minutes.
TEST(DemandingLockTest, ALivelockIsAStormOfCommandsAndNoHang) {
  Operation waits;
  waits.ask = Ask::kWaitFor;
  waits.wait = std::chrono::seconds(60);
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.clients.resize(2);
  for (ClientPlan& client : workload.clients) client.operations = {waits};
  const auto subject = AlwaysAfterYou();
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromSeed(1);
  const RunResult result =
      RunOnce(universe, {subject.get(), FindScenario("contention"), SynchronyClass::kNone},
              workload, choices);
  EXPECT_GT(result.commands, 100'000U);
  ASSERT_FALSE(result.violations.empty());
  EXPECT_TRUE(
      std::any_of(result.violations.begin(), result.violations.end(),
                  [](const Violation& one) { return one.property == Judged::kTermination; }));
}

/// Its extension asks, and waits for a second, although the validity is over; or it says so at
/// once.
std::shared_ptr<const harness::Subject> ExtendsAtTheEnd(bool hangs) {
  using specimens::Attempt;
  using specimens::RedisClient;
  return specimens::MakeLock({.name = "test/extends-at-the-end",
                              .summary = "is asked to extend when its validity is over",
                              .traits = {.can_extend = true},
                              .extend = [hangs](RedisClient& redis, Attempt& attempt) {
                                if (redis.runtime().Now() < attempt.valid_until) {
                                  return specimens::ExtendCorrectly(redis, attempt);
                                }
                                if (hangs) redis.Sleep(std::chrono::seconds(1));
                                return Status(StatusCode::kLeaseLost, "the lease is over");
                              }});
}

// See harness::Hold::Extend.
TEST(DemandingLockTest, AnExtensionThatHangsAtTheEndOfTheValidityKeepsItsUserInside) {
  Operation works;
  works.hold = std::chrono::seconds(3);
  works.extend = true;
  Operation waits;
  waits.ask = Ask::kWaitFor;
  waits.think = std::chrono::milliseconds(10);
  waits.wait = std::chrono::seconds(3);
  waits.hold = std::chrono::milliseconds(500);
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.clients.resize(2);
  workload.clients[0].operations = {works};
  workload.clients[1].operations = {waits};
  for (const bool hangs : {true, false}) {
    const auto subject = ExtendsAtTheEnd(hangs);
    sim::Universe universe;
    sim::Choices choices = sim::Choices::FromSeed(1);
    const RunResult result =
        RunOnce(universe, {subject.get(), FindScenario("contention"), SynchronyClass::kNone},
                workload, choices);
    const bool convicted =
        std::any_of(result.violations.begin(), result.violations.end(),
                    [](const Violation& one) { return one.property == Judged::kSectionExclusion; });
    EXPECT_EQ(convicted, hangs);
  }
}

}  // namespace
}  // namespace interlock::scenarios
