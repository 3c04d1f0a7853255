// SPDX-License-Identifier: MIT
//
// Clients of the library of a6ad68e and of today share locks: what that does to what is promised.
// Any lock object of a run may be of either. lib/README.md ("Upgrading") says what follows.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <interlock/client.h>
#include <interlock/semaphore.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/campaign.h"
#include "sim/choices.h"
#include "sim/universe.h"
#include "sim/world.h"
#include "tests/scenarios/versions/old_connector.h"
#include "tests/scenarios/versions/together.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;
using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using SubjectPointer = std::shared_ptr<const harness::Subject>;

SubjectPointer Today(std::string_view name) {
  for (SubjectPointer subject : SoundSubjects()) {
    if (subject->name() == name) return subject;
  }
  ADD_FAILURE() << "no lock is called " << name;
  return nullptr;
}

std::shared_ptr<const testing::OldWords> Words() {
  static const auto words = std::make_shared<const testing::OldWords>();
  return words;
}

SubjectPointer Old(std::string_view name) { return testing::OldSubject(Today(name), Words()); }

/// What a fleet that is upgraded one by one meets: nothing, late clients, dead ones that may come
/// back, and all of it at once.
std::vector<std::string> UsualScenarios(const SubjectPointer& subject) {
  std::vector<std::string> names;
  for (const char* name : {"contention", "overstay", "crash", "pause", "chaos", "restart"}) {
    names.push_back((subject->traits().quorum ? "quorum-" : "") + std::string(name));
  }
  return names;
}

CampaignResult Campaign(const SubjectPointer& subject, std::uint64_t runs,
                        const std::vector<std::string>& scenarios) {
  CampaignOptions options;
  options.entries.push_back({subject, false, {}});
  for (const std::string& name : scenarios) options.scenarios.push_back(FindScenario(name));
  options.runs = runs;
  options.jobs = 2;
  options.explaining = Explaining::kNone;
  return RunCampaign(options);
}

CampaignResult Campaign(const SubjectPointer& subject, std::uint64_t runs) {
  return Campaign(subject, runs, UsualScenarios(subject));
}

/// The slugs of what was promised and did not hold, once for each scenario.
std::vector<std::string> Broken(const CampaignResult& result) {
  std::vector<std::string> broken;
  for (const ResultRow& row : result.report.results) {
    if (row.verdict == Verdict::kViolated && !row.pass) broken.push_back(row.property);
  }
  return broken;
}

void ExpectToHold(const SubjectPointer& subject, const CampaignResult& result) {
  EXPECT_EQ(result.report.totals.divergences, 0U);
  int held = 0;
  for (const ResultRow& row : result.report.results) {
    if (row.verdict == Verdict::kHolds) ++held;
    if (row.pass) continue;
    // So few runs need not come upon everything.
    EXPECT_EQ(row.exercised, 0U) << row.lock << ", " << row.scenario << ": " << row.property << " "
                                 << reports::ToString(row.verdict) << " " << row.reason;
  }
  EXPECT_GT(held, 20) << subject->name();
}

/// The kinds whose clients say what they said then (same_words_test.cc).
class VersionsTogetherTest : public ::testing::TestWithParam<const char*> {};

TEST_P(VersionsTogetherTest, WhatIsPromisedHolds) {
  const SubjectPointer both = testing::Together(Today(GetParam()), Old(GetParam()));
  ExpectToHold(both, Campaign(both, 35));
}

INSTANTIATE_TEST_SUITE_P(Kinds, VersionsTogetherTest,
                         ::testing::Values("count-down-latch", "fair-mutex", "multi-mutex", "mutex",
                                           "mutex.renewed", "redlock", "reentrant-mutex",
                                           "shared-mutex", "single-file"));

TEST(SemaphoresTogetherTest, TheOldOnesByThemselvesHold) {
  ExpectToHold(Old("semaphore"), Campaign(Old("semaphore"), 25));
}

// Both go by one limit, but neither sees the permits of the other.
TEST(SemaphoresTogetherTest, MorePermitsAreOutThanThereAreAndNothingElseBreaks) {
  const auto broken = Broken(Campaign(testing::Together(Today("semaphore"), Old("semaphore")), 40));
  EXPECT_THAT(broken, Contains("permits-server"));
  EXPECT_THAT(broken, Contains("permits-belief"));
  EXPECT_THAT(broken, Each(StartsWith("permits-")));
}

TEST(SemaphoresTogetherTest, OneLeaseAfterTheLastOldClientLimitAndFencingTokensGoOn) {
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  sim::World world(universe, {}, {}, choices, nullptr);
  world.AddProcess({});
  world.Start(0, [&] {
    Runtime& runtime = world.runtime(0);
    testing::OldConnector connector(world.connector(0), Words());
    Client of_then(runtime, connector);
    Client of_today(runtime, world.connector(0));
    const SemaphoreOptions options = {.limit = 2, .lease = std::chrono::seconds(10)};
    auto then = Semaphore::Create(of_then, "s", options);
    auto today = Semaphore::Create(of_today, "s", {.limit = std::nullopt, .lease = options.lease});
    auto last = then->TryAcquire();
    ASSERT_TRUE(last.ok()) << last.status().ToString();
    EXPECT_EQ(today->Counts()->out, 0) << "today's client cannot see it";
    const std::uint64_t token = last->fencing_token();
    last->Forget();
    runtime.NewEvent()->WaitUntil(runtime.Now() + options.lease);
    auto first = today->TryAcquire();
    ASSERT_TRUE(first.ok()) << first.status().ToString();
    EXPECT_GT(first->fencing_token(), token);
    EXPECT_EQ(today->Counts()->limit, 2);
  });
  EXPECT_EQ(world.Run(std::chrono::minutes(1)), sim::StopReason::kFinished);
}

SubjectPointer MutexThatSaid(std::string_view script, std::string_view text) {
  auto words = std::make_shared<const testing::OldWords>(Words()->With(script, text));
  return testing::Together(Today("mutex"), testing::OldSubject(Today("mutex"), std::move(words)));
}

// The scripts of then are really those that the old clients send, so a mix can fail.
TEST(VersionsTogetherControlTest, AnOldReleaseThatAsksForNoOwnerIsConvicted) {
  const auto subject = MutexThatSaid("mutex-release", "return redis.call('DEL', KEYS[1])");
  EXPECT_THAT(Broken(Campaign(subject, 40)), Contains("foreign-release"));
}

TEST(VersionsTogetherControlTest, AnOldAcquireOfAnotherKeyIsConvicted) {
  const std::string& text = Words()->scripts().find("mutex-acquire")->second;
  const auto subject = MutexThatSaid("mutex-acquire", "KEYS[1] = KEYS[1] .. ':then' " + text);
  EXPECT_THAT(Broken(Campaign(subject, 40)), Contains("belief-exclusion"));
}

// What MutexOptions say of a mix with and without fencing.

TEST(MutexesWithAndWithoutFencingTest, ThePromiseOfThoseWithoutHoldsForAllButForWaking) {
  const SubjectPointer both = testing::TogetherUnwoken(Today("mutex.native"), Today("mutex"));
  ExpectToHold(both, Campaign(both, 40));
  std::vector<std::string> by_own_commands = UsualScenarios(both);
  for (std::string& name : by_own_commands) name += "@valkey-9.1";
  ExpectToHold(both, Campaign(both, 40, by_own_commands));
}

TEST(MutexesWithAndWithoutFencingTest, NoWaiterIsWokenByAReleaseOfTheOtherSort) {
  const auto broken =
      Broken(Campaign(testing::Together(Today("mutex.native"), Today("mutex")), 40));
  EXPECT_THAT(broken, Contains("deadlock"));
  EXPECT_THAT(broken, Each(std::string("deadlock")));
}

// The next holder may show no token that would be larger.
TEST(MutexesWithAndWithoutFencingTest, FencingTokensDoNotStopALateWrite) {
  const SubjectPointer both = testing::TogetherUnwoken(Today("mutex"), Today("mutex.native"));
  EXPECT_THAT(Broken(Campaign(both, 1, {"kleppmann.k1f"})), Contains("fenced-writes"));
  EXPECT_THAT(Broken(Campaign(Today("mutex"), 1, {"kleppmann.k1f"})), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
