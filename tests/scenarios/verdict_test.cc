// SPDX-License-Identifier: MIT
//
// The locks that ship with the program, judged as the gate judges them, with fewer runs: every
// specimen is convicted where its page says, and every sound lock holds what it promises
// everywhere.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "reports/exit_code.h"
#include "scenarios/campaign.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

constexpr std::uint64_t kRunsForSpecimens = 600;
constexpr std::uint64_t kRunsForSoundLocks = 300;

std::vector<Entry> SoundEntries() {
  std::vector<Entry> entries;
  for (const auto& subject : SoundSubjects()) entries.push_back({subject, false, {}});
  return entries;
}

void ExpectConviction(std::string_view specimen, const Conviction& expected) {
  CampaignOptions options;
  options.entries = SoundEntries();
  for (const Specimen& one : Specimens()) {
    if (one.subject->name() != specimen) continue;
    options.entries.push_back({one.subject, true, {expected}});
  }
  ASSERT_EQ(options.entries.size(), SoundSubjects().size() + 1) << "no specimen " << specimen;
  Scenario scenario = *FindScenario(expected.scenario);
  scenario.classes = {expected.synchrony};
  options.scenarios = {&scenario};
  options.runs = kRunsForSpecimens;
  options.jobs = 2;
  const CampaignResult result = RunCampaign(options);
  const auto row = std::find_if(result.report.results.begin(), result.report.results.end(),
                                [&](const ResultRow& one) {
                                  return one.lock == specimen && one.property == expected.property;
                                });
  ASSERT_NE(row, result.report.results.end());
  EXPECT_EQ(row->expected, reports::Expectation::kBreaks);
  EXPECT_EQ(row->verdict, Verdict::kViolated) << row->reason;
  EXPECT_TRUE(row->pass) << row->reason;
}

TEST(SpecimenTest, ExistsSetExpireIsConvictedOfServerExclusion) {
  ExpectConviction("broken/exists-set-expire",
                   {"server-exclusion", "contention", SynchronyClass::kNone});
}

TEST(SpecimenTest, ExistsSetExpireIsConvictedOfAKeyWithoutTtl) {
  ExpectConviction("broken/exists-set-expire", {"keys", "crash", SynchronyClass::kNone});
}

TEST(SpecimenTest, SetnxThenExpireIsConvictedOfAKeyWithoutTtl) {
  ExpectConviction("broken/setnx-then-expire", {"keys", "crash", SynchronyClass::kNone});
}

TEST(SpecimenTest, SetnxThenExpireIsConvictedOfNeverRecoveringFromACrash) {
  ExpectConviction("broken/setnx-then-expire", {"crash-recovery", "crash", SynchronyClass::kNone});
}

TEST(SpecimenTest, GetCompareDelIsConvictedOfForeignRelease) {
  ExpectConviction("broken/get-compare-del",
                   {"foreign-release", "pause", SynchronyClass::kArbitrary});
}

TEST(SpecimenTest, DelWithoutOwnerIsConvictedOfForeignRelease) {
  ExpectConviction("broken/del-without-owner",
                   {"foreign-release", "overstay", SynchronyClass::kNone});
}

TEST(SpecimenTest, RedisSingleFileIsConvictedOfTooManyInside) {
  ExpectConviction("broken/redis-single-file",
                   {"permits-section", "contention", SynchronyClass::kNone});
}

TEST(SpecimenTest, RedisSingleFileIsConvictedOfDeadlock) {
  ExpectConviction("broken/redis-single-file", {"deadlock", "lossy", SynchronyClass::kNone});
}

// A conviction that is expected on a page but tested nowhere above would be trusted unseen.
TEST(SpecimenTest, EveryExpectedConvictionIsTestedHere) {
  std::multiset<std::string> expected;
  for (const Specimen& specimen : Specimens()) {
    EXPECT_FALSE(specimen.expected.empty()) << specimen.subject->name();
    for (const Conviction& one : specimen.expected) {
      expected.insert(std::string(specimen.subject->name()) + " " + std::string(one.property) +
                      " " + std::string(one.scenario) + " " + std::string(ToString(one.synchrony)));
    }
  }
  const std::multiset<std::string> tested = {
      "broken/exists-set-expire server-exclusion contention none",
      "broken/exists-set-expire keys crash none",
      "broken/setnx-then-expire keys crash none",
      "broken/setnx-then-expire crash-recovery crash none",
      "broken/get-compare-del foreign-release pause arbitrary",
      "broken/del-without-owner foreign-release overstay none",
      "broken/redis-single-file permits-section contention none",
      "broken/redis-single-file deadlock lossy none",
  };
  EXPECT_EQ(expected, tested);
}

TEST(SpecimenTest, ExpectedConvictionsNameWhatExists) {
  for (const Specimen& specimen : Specimens()) {
    for (const Conviction& one : specimen.expected) {
      const Scenario* scenario = FindScenario(one.scenario);
      ASSERT_NE(scenario, nullptr) << one.scenario;
      EXPECT_EQ(std::count(scenario->classes.begin(), scenario->classes.end(), one.synchrony), 1);
      const auto property = JudgedFromSlug(one.property);
      ASSERT_TRUE(property.has_value()) << one.property;
      const auto judged = JudgedFor(*scenario, *specimen.subject);
      EXPECT_EQ(std::count(judged.begin(), judged.end(), *property), 1) << one.property;
    }
  }
}

void ExpectHoldsEverywhere(std::size_t which) {
  CampaignOptions options;
  options.entries = {SoundEntries().at(which)};
  for (const Scenario& scenario : Catalogue()) options.scenarios.push_back(&scenario);
  options.runs = kRunsForSoundLocks;
  options.jobs = 2;
  const CampaignResult result = RunCampaign(options);
  EXPECT_EQ(result.report.totals.divergences, 0U);
  EXPECT_GT(result.report.results.size(), 20U);
  for (const ResultRow& row : result.report.results) {
    EXPECT_TRUE(row.pass) << row.lock << " " << row.scenario << " "
                          << reports::ToString(row.synchrony) << " " << row.code << " "
                          << row.property << ": " << reports::ToString(row.verdict) << " "
                          << row.reason << " " << row.replay.value_or("");
  }
}

TEST(SoundLockTest, MutexHoldsWhatItPromisesEverywhere) { ExpectHoldsEverywhere(0); }

TEST(SoundLockTest, SingleFileHoldsWhatItPromisesEverywhere) { ExpectHoldsEverywhere(1); }

}  // namespace
}  // namespace interlock::scenarios
