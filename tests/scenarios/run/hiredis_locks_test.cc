// SPDX-License-Identifier: MIT
//
// Locks that call the C library (harness::Traits::posix): a sound one is acquitted in every
// scenario, and what is usually wrong with such locks is not.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cli/explore_request.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/hiredis_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

CampaignResult Judge(std::shared_ptr<const harness::Subject> subject,
                     std::vector<const Scenario*> scenarios, std::uint64_t runs) {
  CampaignOptions options;
  options.entries = {{std::move(subject), false, {}}};
  options.entries.front().foreign = true;
  options.scenarios = std::move(scenarios);
  options.runs = runs;
  return RunCampaign(options);
}

bool Convicts(const CampaignResult& result, std::string_view property) {
  for (const ResultRow& row : result.report.results) {
    if (row.property == property && row.verdict == Verdict::kViolated) return true;
  }
  return false;
}

TEST(HiredisLockTest, ASoundOneIsAcquittedInEveryScenario) {
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : Catalogue()) all.push_back(&scenario);
  const CampaignResult result = Judge(testing::HiredisSubject(), all, 40);
  EXPECT_EQ(result.report.totals.divergences, 0U);
  for (const ResultRow& row : result.report.results) {
    EXPECT_FALSE(row.verdict == Verdict::kViolated && !row.pass)
        << row.scenario << " " << row.code << " " << row.property << " " << row.reason;
  }
}

TEST(HiredisLockTest, ASearchRefusesItAndSaysWhy) {
  const Entry entry{testing::HiredisSubject(), false, {}};
  const auto resolved = cli::Resolve({}, entry);
  EXPECT_EQ(resolved.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(resolved.status().message(), ::testing::HasSubstr("calls the C library"));
}

TEST(HiredisLockTest, ABlindReleaseIsConvicted) {
  const auto result =
      Judge(testing::HiredisSubject({.name = "test/blind-on-hiredis", .deletes_blindly = true}),
            {FindScenario("overstay")}, 300);
  EXPECT_TRUE(Convicts(result, "foreign-release"));
}

// A reply that comes late answers the next command: "OK" to a SET is taken for that to another.
TEST(HiredisLockTest, AConnectionThatIsKeptAfterATimeoutIsConvicted) {
  const auto result = Judge(
      testing::HiredisSubject({.name = "test/late-on-hiredis", .keeps_late_connections = true}),
      {FindScenario("chaos"), FindScenario("lossy"), FindScenario("pause")}, 1000);
  EXPECT_TRUE(Convicts(result, "server-exclusion") || Convicts(result, "belief-exclusion") ||
              Convicts(result, "foreign-release"));
}

}  // namespace
}  // namespace interlock::scenarios
