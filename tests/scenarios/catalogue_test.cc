// SPDX-License-Identifier: MIT
//
// Every classic case by its name, against our own locks: what the case says a correct lease lock
// holds is put to the test and holds, and what it says no lease lock can hold is seen violated.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "reports/exit_code.h"
#include "scenarios/campaign.h"
#include "scenarios/property.h"
#include "scenarios/scenario.h"

namespace interlock::scenarios {
namespace {

bool IsNamedCase(std::string_view name) { return name.find('.') != std::string_view::npos; }

std::set<std::string> RunnableCases() {
  std::set<std::string> names;
  for (const Scenario& scenario : Catalogue()) {
    if (IsNamedCase(scenario.name)) names.emplace(scenario.name);
  }
  return names;
}

std::set<std::string> PendingCases() {
  std::set<std::string> names;
  for (const PendingScenario& pending : PendingScenarios()) names.emplace(pending.name);
  return names;
}

CampaignResult RunCase(const std::string& name) {
  CampaignOptions options;
  for (const auto& subject : SoundSubjects()) options.entries.push_back({subject, false, {}});
  options.scenarios = {FindScenario(name)};
  options.runs = 1;
  return RunCampaign(options);
}

TEST(CatalogueTest, EveryCaseOfTheTextsIsRunOrListedAsPending) {
  std::set<std::string> expected = {"antirez.a2p", "chubby.h1", "curator.c1",   "etcd.e1",
                                    "etcd.e2",     "etcd.h2",   "kleppmann.k9b"};
  const auto series = [&](const std::string& family, int last) {
    for (int i = 1; i <= last; ++i) expected.insert(family + std::to_string(i));
  };
  series("kleppmann.k", 10);
  series("antirez.a", 8);
  series("redis.d", 7);
  std::set<std::string> found = RunnableCases();
  for (const std::string& name : PendingCases()) {
    EXPECT_TRUE(found.insert(name).second) << name << " is both run and pending";
  }
  EXPECT_EQ(found, expected);
}

TEST(CatalogueTest, APendingCaseSaysWhatItWaitsFor) {
  for (const PendingScenario& pending : PendingScenarios()) {
    EXPECT_FALSE(pending.waits_for.empty()) << pending.name;
    EXPECT_EQ(FindScenario(pending.name), nullptr) << pending.name;
  }
}

TEST(CatalogueTest, EveryCaseThatAPropertyIsExplainedWithExists) {
  std::set<std::string> known = RunnableCases();
  known.merge(PendingCases());
  for (const Property& property : AllProperties()) {
    if (property.scenario == "none") continue;
    EXPECT_TRUE(known.contains(std::string(property.scenario)))
        << property.code << " names " << property.scenario;
  }
}

class NamedCaseTest : public testing::TestWithParam<std::string> {};

TEST_P(NamedCaseTest, OurLocksHaveTheVerdictThatTheCaseExpects) {
  const Scenario& scenario = *FindScenario(GetParam());
  const CampaignResult result = RunCase(GetParam());
  EXPECT_EQ(result.report.totals.divergences, 0U);
  std::map<std::string, int> rows;
  for (const reports::ResultRow& row : result.report.results) {
    ++rows[row.lock];
    const bool weakness = row.expected == reports::Expectation::kBreaks;
    EXPECT_NE(row.expected, reports::Expectation::kEither) << row.lock << " " << row.property;
    EXPECT_EQ(row.verdict, weakness ? reports::Verdict::kViolated : reports::Verdict::kHolds)
        << row.lock << " " << row.property << " " << reports::ToString(row.synchrony) << " "
        << row.replay.value_or(row.reason);
    EXPECT_TRUE(row.pass) << row.lock << " " << row.property;
    EXPECT_EQ(row.runs, scenario.max_runs);
  }
  EXPECT_EQ(rows.size(), SoundSubjects().size());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, NamedCaseTest, testing::ValuesIn(RunnableCases()),
                         [](const testing::TestParamInfo<std::string>& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// Where a case is about one lock's fault, a specimen with that fault falls in it.
TEST(CatalogueTest, ABlindReleaseFallsInTheCaseThatIsAboutIt) {
  CampaignOptions options;
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() == "broken/del-without-owner") {
      options.entries.push_back({specimen.subject, true, specimen.expected});
    }
  }
  options.scenarios = {FindScenario("redis.d2")};
  const CampaignResult result = RunCampaign(options);
  for (const reports::ResultRow& row : result.report.results) {
    if (row.property != "foreign-release") continue;
    EXPECT_EQ(row.verdict, reports::Verdict::kViolated) << reports::ToString(row.synchrony);
    EXPECT_EQ(row.runs_to_first_violation, 1U);
  }
}

}  // namespace
}  // namespace interlock::scenarios
