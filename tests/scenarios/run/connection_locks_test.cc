// SPDX-License-Identifier: MIT
//
// Locks whose grants last as long as their connections (harness::Traits::lasts_as_connection): a
// sound one is acquitted in every scenario that says something of it, and the nearest broken ones
// are not.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/judge/demanded.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/connection_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

std::vector<ResultRow> RowsIn(std::shared_ptr<const harness::Subject> subject,
                              std::string_view scenario) {
  CampaignOptions options;
  options.entries = {{std::move(subject), false, {}}};
  options.entries.front().foreign = true;
  options.scenarios = {FindScenario(scenario)};
  options.runs = 300;
  return RunCampaign(options).report.results;
}

bool Convicts(const std::vector<ResultRow>& rows, std::string_view property) {
  for (const ResultRow& row : rows) {
    if (row.property == property && row.verdict == Verdict::kViolated) return true;
  }
  return false;
}

TEST(ConnectionLockTest, ASoundOneIsAcquitted) {
  for (const std::string_view scenario :
       {"contention", "overstay", "crash", "restart", "pause", "lossy", "chaos", "crowd", "nested",
        "partition", "idle", "guarded", "alike-tokens", "chubby.h1"}) {
    for (const ResultRow& row : RowsIn(testing::ConnectionSubject(), scenario)) {
      EXPECT_TRUE(row.pass) << scenario << " " << row.code << " " << row.property << " "
                            << row.reason;
    }
  }
}

// Where neither links nor servers fail, all of it is demanded.
TEST(ConnectionLockTest, BeliefsAndSectionsAreDemandedUnlessConnectionsMayEndUnheard) {
  const harness::Traits traits{.lasts_as_connection = true};
  for (const Judged property : {Judged::kBeliefExclusion, Judged::kSectionExclusion}) {
    EXPECT_EQ(WhyNotPromised(property, *FindScenario("crash"), SynchronyClass::kNone, traits), "");
    EXPECT_EQ(WhyNotPromised(property, *FindScenario("pause"), SynchronyClass::kBounded, traits),
              "");
    EXPECT_NE(WhyNotPromised(property, *FindScenario("lossy"), SynchronyClass::kNone, traits), "");
  }
  EXPECT_EQ(WhyNotPromised(Judged::kServerExclusion, *FindScenario("lossy"), SynchronyClass::kNone,
                           traits),
            "");
}

TEST(ConnectionLockTest, WhatOutlivesItsConnectionMustBeTakenAway) {
  const auto rows = RowsIn(
      testing::ConnectionSubject({.name = "test/leaves-the-dead", .cleans = false}), "crash");
  EXPECT_TRUE(Convicts(rows, "crash-recovery"));
}

TEST(ConnectionLockTest, WhatDoesNotMustNotBe) {
  const auto rows =
      RowsIn(testing::ConnectionSubject({.name = "test/takes-all", .looks = false}), "overstay");
  EXPECT_TRUE(Convicts(rows, "foreign-release"));
  EXPECT_TRUE(Convicts(rows, "server-exclusion"));
}

}  // namespace
}  // namespace interlock::scenarios
