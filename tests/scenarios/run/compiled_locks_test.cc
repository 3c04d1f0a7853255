// SPDX-License-Identifier: MIT
//
// Locks as they are compiled (harness::Traits::posix): those of the example, sound and naive, and
// our own over hiredis and threads.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cli/explore_request.h"
#include "scenarios/examples/compiled_lock/adapters.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/run/counted_lock/counted_lock.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;

std::vector<const Scenario*> Named(std::initializer_list<std::string_view> names) {
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : Catalogue()) {
    const bool named = std::ranges::find(names, scenario.name) != names.end();
    if (named || names.size() == 0) all.push_back(&scenario);
  }
  return all;
}

CampaignResult Judge(std::shared_ptr<const harness::Subject> subject, bool foreign,
                     std::vector<const Scenario*> scenarios, std::uint64_t runs) {
  CampaignOptions options;
  options.entries = {{std::move(subject), false, {}}};
  options.entries.front().foreign = foreign;
  options.scenarios = std::move(scenarios);
  options.runs = runs;
  return RunCampaign(options);
}

const auto kTellsOfStatics = ::testing::HasSubstr("share these static variables");

bool Convicts(const CampaignResult& result, std::string_view property) {
  for (const ResultRow& row : result.report.results) {
    if (row.property == property && row.verdict == Verdict::kViolated && !row.pass) return true;
  }
  return false;
}

void ExpectAcquitted(const CampaignResult& result) {
  EXPECT_EQ(result.report.totals.divergences, 0U);
  EXPECT_GT(result.report.totals.runs, 0U);
  for (const ResultRow& row : result.report.results) {
    EXPECT_FALSE(row.verdict == Verdict::kViolated && !row.pass)
        << row.lock << " " << row.scenario << " " << row.code << " " << row.reason;
  }
}

TEST(CompiledLockTest, SoundOnesAreAcquitted) {
  const auto scenarios = Named({"contention", "lossy", "pause", "chaos", "crash", "forgotten"});
  ExpectAcquitted(Judge(acme::CLock(), true, scenarios, 150));
  ExpectAcquitted(Judge(acme::RenewedLockSubject(), true, scenarios, 150));
}

// A reply that comes late answers the next command: "OK" to a SET is taken for that to another.
TEST(CompiledLockTest, AConnectionThatIsKeptAfterATimeoutIsConvicted) {
  const auto result = Judge(acme::NaiveCLock(), true, Named({"partition"}), 600);
  EXPECT_TRUE(Convicts(result, "belief-exclusion"));
  EXPECT_TRUE(Convicts(result, "foreign-release"));
}

// Between the look at its flag and its PEXPIRE the thread stands still while its own process
// releases the lock and another one takes it.
TEST(CompiledLockTest, AThreadThatExtendsBlindlyIsConvicted) {
  const auto result = Judge(acme::NaiveRenewedLockSubject(), true, Named({"pause"}), 600);
  EXPECT_TRUE(Convicts(result, "foreign-extend"));
}

// Two processes count alike, so one takes the other's lock for its own. Linked into the program
// they count together, which no processes do: that is told.
TEST(CompiledLockTest, WhatProcessesWouldNotShareIsTheirOwnInASharedObject) {
  const auto scenarios = Named({"pause"});
  const auto loaded = harness::CompiledSubject("acme.loaded", &acme::loaded::MakeCountedLock);
  const auto found = Judge(loaded, true, scenarios, 600);
  EXPECT_TRUE(Convicts(found, "foreign-release"));
  EXPECT_THAT(found.report.notes, ::testing::Not(::testing::Contains(kTellsOfStatics)));

  const auto linked = harness::CompiledSubject("acme.linked", &acme::linked::MakeCountedLock);
  const auto hidden = Judge(linked, true, scenarios, 600);
  EXPECT_FALSE(Convicts(hidden, "foreign-release"));
  EXPECT_THAT(hidden.report.notes, ::testing::Contains(::testing::AllOf(
                                       kTellsOfStatics, ::testing::HasSubstr("acme.linked: "),
                                       ::testing::HasSubstr("tokens_made (counted_lock.cc)"))));
}

TEST(CompiledLockTest, ASearchRefusesItAndSaysWhy) {
  const Entry entry{acme::CLock(), false, {}};
  const auto resolved = cli::Resolve({}, entry);
  EXPECT_EQ(resolved.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(resolved.status().message(), ::testing::HasSubstr("calls the C library"));
}

// As their namesakes over the simulator's own connections, the named cases included: what those
// show of every lease lock shows here, too, at the same steps.
TEST(CompiledLocksInEveryScenarioTest, OursKeepWhatTheirNamesakesKeep) {
  for (const auto& subject : CompiledSubjects()) {
    const CampaignResult result = Judge(subject, false, Named({}), 300);
    EXPECT_EQ(result.report.totals.divergences, 0U);
    for (const ResultRow& row : result.report.results) {
      EXPECT_TRUE(row.pass || row.verdict == Verdict::kInconclusive)
          << row.lock << " " << row.scenario << " " << row.code << " " << row.reason;
    }
  }
}

TEST(CompiledLocksInEveryScenarioTest, SoundForeignOnesAreAcquitted) {
  ExpectAcquitted(Judge(acme::CLock(), true, Named({}), 100));
  ExpectAcquitted(Judge(acme::RenewedLockSubject(), true, Named({}), 100));
}

}  // namespace
}  // namespace interlock::scenarios
