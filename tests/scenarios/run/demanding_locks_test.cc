// SPDX-License-Identifier: MIT
//
// Locks that a careless harness would judge wrongly: sound ones that work in another way than ours,
// and broken ones that are broken in silence.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

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

RunResult RunOf(const harness::Subject& subject, std::string_view scenario,
                const Workload& workload, std::uint64_t seed = 1) {
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromSeed(seed);
  return RunOnce(universe, {&subject, FindScenario(scenario), SynchronyClass::kNone}, workload,
                 choices);
}

Workload SecondsLong(std::vector<std::vector<Operation>> clients) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  for (std::vector<Operation>& operations : clients) {
    workload.clients.emplace_back().operations = std::move(operations);
  }
  return workload;
}

std::vector<ResultRow> RowsOf(std::shared_ptr<const harness::Subject> subject,
                              std::string_view scenario) {
  CampaignOptions options;
  options.entries = {{std::move(subject), false, {}}};
  options.scenarios = {FindScenario(scenario)};
  options.runs = 300;
  return RunCampaign(options).report.results;
}

/// Of a lock of somebody else.
std::vector<ResultRow> RowsOfForeign(testing::PlainOptions plain, std::string_view scenario) {
  CampaignOptions options;
  options.entries = {{testing::PlainSubject(std::move(plain)), false, {}, true}};
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
  const RunResult result = RunOf(*AlwaysAfterYou(), "contention", SecondsLong({{waits}, {waits}}));
  EXPECT_GT(result.commands, 100'000U);
  EXPECT_NE(result.Find(Judged::kTermination), nullptr);
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
  for (const bool hangs : {true, false}) {
    const RunResult result =
        RunOf(*ExtendsAtTheEnd(hangs), "contention", SecondsLong({{works}, {waits}}));
    EXPECT_EQ(result.Find(Judged::kSectionExclusion) != nullptr, hangs);
  }
}

/// Gives up a request that is not answered in a fifth of a lease, over a new connection, as a
/// careful client does, and says then that it has nothing.
std::shared_ptr<const harness::Subject> CleansUpAndSaysNo() {
  using specimens::Attempt;
  using specimens::RedisClient;
  return specimens::MakeLock(
      {.name = "test/cleans-up",
       .summary = "deletes what a request may have made that was not answered in time",
       .lock = [](RedisClient& redis, Attempt& attempt) {
         RedisClient once(redis.environment(), attempt.lease / 5);
         const Status locked = specimens::LockCorrectly(once, attempt);
         if (locked.outcome() != Outcome::kUnknown) return locked;
         const Status undone = specimens::UnlockCorrectly(redis, attempt);
         const bool sure = undone.ok() || undone.code() == StatusCode::kNotOwner;
         return sure ? Status(StatusCode::kNotAcquired, "no answer, and nothing left") : locked;
       }});
}

// See harness::Bounds::BarredFor: the clock jumps while the request is on its way, the clean-up
// overtakes it, and its entry is there when its client has been told "no".
TEST(DemandingLockTest, ARequestThatAJumpOfTheClockMadeLateIsExcusedAsOneThatWasHeldUp) {
  Workload workload = SecondsLong({{{}}, {}});
  workload.latency_max = std::chrono::milliseconds(8);
  const auto subject = CleansUpAndSaysNo();
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (int step = 0; step < 12; ++step) {
      for (const sim::FaultKind kind :
           {sim::FaultKind::kClientClockJump, sim::FaultKind::kDelayRequest}) {
        workload.clients[0].faults = {
            {.kind = kind, .step = step, .length = std::chrono::seconds(4)}};
        const RunResult result = RunOf(*subject, "lossy", workload, seed);
        EXPECT_TRUE(result.violations.empty())
            << sim::ToString(kind) << " at step " << step << ", seed " << seed << ": "
            << result.violations.front().what;
        late += result.goals.Has(Goal::kReplyLostAfterGrant) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(late, 0) << "no request came late, so none was excused";
}

// See harness::LockOptions::lease and Traits::lock_delay.
TEST(DemandingLockTest, ALockWhoseLeasesAreShorterIsNotConvictedForThat) {
  for (const std::string_view scenario : {"chubby.h1", "contention", "crash", "overstay"}) {
    for (const ResultRow& row : RowsOfForeign({.lease_percent = 50}, scenario)) {
      EXPECT_TRUE(row.pass) << scenario << " " << row.property;
    }
  }
}

TEST(DemandingLockTest, ALockDelayIsAPartOfTheLeaseThatWasAskedForHoweverShortTheLocksOwnIs) {
  const auto verdict = [](int delay_percent) {
    for (const ResultRow& row :
         RowsOfForeign({.lease_percent = 50, .delay_percent = delay_percent}, "chubby.h1")) {
      const bool arbitrary = row.synchrony == reports::SynchronyClass::kArbitrary;
      if (arbitrary && row.property == "section-exclusion") return row.verdict;
    }
    return Verdict::kInconclusive;
  };
  EXPECT_EQ(verdict(6), Verdict::kViolated) << "an eighth of its own lease";
  EXPECT_EQ(verdict(13), Verdict::kHolds) << "an eighth of LockOptions::lease";
}

}  // namespace
}  // namespace interlock::scenarios
