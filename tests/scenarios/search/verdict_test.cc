// SPDX-License-Identifier: MIT
//
// The locks that ship with the program, judged as the gate judges them, with fewer runs: every
// specimen is convicted where its page says, and every sound lock holds what it promises
// everywhere.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reports/exit_code.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

constexpr std::uint64_t kRunsForSpecimens = 1500;
constexpr std::uint64_t kRunsForSoundLocks = 300;

std::vector<Entry> SoundEntries() {
  std::vector<Entry> entries;
  for (const auto& subject : SoundSubjects()) entries.push_back({subject, false, {}});
  return entries;
}

/// One scenario in one class, with all the specimens that must fall there.
using Place = std::pair<std::string_view, SynchronyClass>;

std::vector<Place> Places() {
  std::set<Place> places;
  for (const Specimen& specimen : Specimens()) {
    for (const Conviction& one : specimen.expected) places.emplace(one.scenario, one.synchrony);
  }
  return {places.begin(), places.end()};
}

class ConvictionTest : public testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Places, ConvictionTest, testing::ValuesIn(Places()),
                         [](const auto& parameter) {
                           std::string name(parameter.param.first);
                           name += ToString(parameter.param.second);
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

TEST_P(ConvictionTest, EverySpecimenFallsWhereItsPageSays) {
  const auto& [name, synchrony] = GetParam();
  CampaignOptions options;
  options.entries = SoundEntries();
  for (const Specimen& one : Specimens()) {
    Entry entry{one.subject, true, {}};
    for (const Conviction& expected : one.expected) {
      if (Place(expected.scenario, expected.synchrony) == GetParam()) {
        entry.expected.push_back(expected);
      }
    }
    if (!entry.expected.empty()) options.entries.push_back(entry);
  }
  ASSERT_NE(FindScenario(name), nullptr) << name;
  Scenario scenario = *FindScenario(name);
  scenario.classes = {synchrony};
  options.scenarios = {&scenario};
  options.runs = kRunsForSpecimens;
  options.jobs = 2;
  const CampaignResult result = RunCampaign(options);
  std::size_t expected = 0;
  for (const Entry& entry : options.entries) expected += entry.expected.size();
  for (const ResultRow& row : result.report.results) {
    // A case may say of sound locks, too, what they cannot hold.
    if (row.kind == reports::LockKind::kSound) continue;
    if (row.expected != reports::Expectation::kBreaks) continue;
    --expected;
    EXPECT_EQ(row.verdict, Verdict::kViolated) << row.lock << ": " << row.reason;
    EXPECT_TRUE(row.pass) << row.lock << ": " << row.reason;
  }
  EXPECT_EQ(expected, 0U) << "an expected conviction has no row";
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

void ExpectHoldsEverywhere(std::string_view lock) {
  CampaignOptions options;
  for (const Entry& entry : SoundEntries()) {
    if (entry.subject->name() == lock) options.entries.push_back(entry);
  }
  ASSERT_EQ(options.entries.size(), 1U) << lock;
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

TEST(SoundLockTest, MutexHoldsWhatItPromisesEverywhere) { ExpectHoldsEverywhere("mutex"); }

TEST(SoundLockTest, RenewedMutexHoldsWhatItPromisesEverywhere) {
  ExpectHoldsEverywhere("mutex.renewed");
}

TEST(SoundLockTest, RenewedMultiMutexHoldsWhatItPromisesEverywhere) {
  ExpectHoldsEverywhere("multi-mutex.renewed");
}

TEST(SoundLockTest, MutexWithALockDelayHoldsWhatItPromisesEverywhere) {
  ExpectHoldsEverywhere("mutex.lock-delay");
}

TEST(SoundLockTest, SemaphoreHoldsWhatItPromisesEverywhere) { ExpectHoldsEverywhere("semaphore"); }

TEST(SoundLockTest, SingleFileHoldsWhatItPromisesEverywhere) {
  ExpectHoldsEverywhere("single-file");
}

}  // namespace
}  // namespace interlock::scenarios
