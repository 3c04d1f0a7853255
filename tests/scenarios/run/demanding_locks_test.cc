// SPDX-License-Identifier: MIT
//
// Locks that a careless harness would judge wrongly: sound ones that work in another way than ours,
// and broken ones that are broken in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace interlock::scenarios
