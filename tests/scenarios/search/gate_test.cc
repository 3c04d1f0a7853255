// SPDX-License-Identifier: MIT
//
// What a verdict of the gate rests on: the runs of a unit are the same whatever else was chosen, a
// conviction brings its own witness, and each lock is explored to the end beside its drawn runs.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json_writer.h"
#include "reports/text_writer.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/lock_exploration.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Entry Sound(testing::PlainOptions options = {}) {
  return {testing::PlainSubject(std::move(options)), false, {}};
}

Entry BlindSpecimen() {
  return {testing::PlainSubject({.name = "test/blind", .release_blindly = true}),
          true,
          {{"foreign-release", "overstay", SynchronyClass::kNone}}};
}

CampaignOptions OptionsFor(std::vector<Entry> entries, std::vector<std::string_view> scenarios) {
  CampaignOptions options;
  options.entries = std::move(entries);
  for (const std::string_view name : scenarios) options.scenarios.push_back(FindScenario(name));
  options.runs = 60;
  options.jobs = 2;
  return options;
}

const ResultRow* FindRow(const CampaignResult& result, std::string_view lock,
                         std::string_view property, bool proof = false) {
  for (const ResultRow& row : result.report.results) {
    if (row.lock == lock && row.property == property && row.proof.has_value() == proof) return &row;
  }
  return nullptr;
}

/// Of each unit of a campaign, how many runs it had, and the hash of its first block.
std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> RunsByUnit(CampaignOptions options) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> units;
  options.on_block = [&](const Unit& unit, std::uint64_t first, const UnitResult& sum) {
    auto& [runs, hash] =
        units[std::string(unit.entry->subject->name()) + " " + std::string(unit.scenario->name) +
              " " + std::string(ToString(unit.synchrony))];
    runs += sum.runs;
    if (first == 0) hash = sum.hash;
  };
  RunCampaign(options);
  return units;
}

TEST(GateTest, TheRunsOfAUnitDoNotDependOnTheOtherUnits) {
  for (const std::uint64_t runs : {0U, 60U}) {
    CampaignOptions both =
        OptionsFor({Sound(), Sound({.name = "test/other"})}, {"contention", "kleppmann.k1"});
    CampaignOptions alone = OptionsFor({Sound()}, {"contention"});
    both.runs = alone.runs = runs;
    const auto of_both = RunsByUnit(both);
    const auto of_one = RunsByUnit(alone);
    ASSERT_EQ(of_one.size(), 1U);
    EXPECT_GT(of_both.size(), 1U);
    EXPECT_EQ(of_both.at(of_one.begin()->first), of_one.begin()->second);
  }
}

TEST(GateTest, AGateGivesEachScenarioItsShareAndASweepAllOfItsPlacings) {
  CampaignOptions options = OptionsFor({Sound()}, {"contention", "kleppmann.k1"});
  options.runs = 0;
  for (const auto& [unit, runs_and_hash] : RunsByUnit(options)) {
    const bool drawn = unit.find("contention") != std::string::npos;
    EXPECT_EQ(runs_and_hash.first, drawn ? FindScenario("contention")->gate_runs
                                         : FindScenario("kleppmann.k1")->gate_runs);
  }
}

TEST(GateTest, AHuntEndsWithTheConvictionUnlessMoreRunsAreWanted) {
  CampaignOptions options = OptionsFor({Sound(), BlindSpecimen()}, {"overstay"});
  const auto hunted = [&options] {
    return RunsByUnit(options).at("test/blind overstay none").first;
  };
  const std::uint64_t sooner = hunted();
  EXPECT_LT(sooner, 300U);
  options.least_hunt = 300;
  EXPECT_EQ(hunted(), 300U);
}

TEST(GateTest, AConvictionWithoutAControlBringsItsWitness) {
  CampaignOptions options = OptionsFor({BlindSpecimen()}, {"overstay"});
  options.controls = {Sound()};
  const CampaignResult result = RunCampaign(options);
  const ResultRow* convicted = FindRow(result, "test/blind", "foreign-release");
  ASSERT_NE(convicted, nullptr);
  EXPECT_EQ(convicted->verdict, Verdict::kViolated);
  EXPECT_TRUE(convicted->pass);
  const ResultRow* witness = FindRow(result, "test/plain", "foreign-release");
  ASSERT_NE(witness, nullptr);
  EXPECT_TRUE(witness->witness);
  EXPECT_EQ(witness->verdict, Verdict::kHolds);
  EXPECT_EQ(result.report.totals.runs, convicted->runs) << "a witness is in no total";
  EXPECT_THAT(reports::ToJson(result.report), HasSubstr("\"witness\": true"));
  EXPECT_THAT(reports::ToText(result.report, {}, {}), HasSubstr("in the specimen's place"));
}

TEST(GateTest, AControlThatWasAskedForIsNoWitness) {
  CampaignOptions options = OptionsFor({Sound(), BlindSpecimen()}, {"overstay"});
  options.controls = {Sound({.name = "test/spare"})};
  const CampaignResult result = RunCampaign(options);
  EXPECT_EQ(FindRow(result, "test/spare", "foreign-release"), nullptr);
  EXPECT_FALSE(FindRow(result, "test/plain", "foreign-release")->witness);
}

TEST(GateTest, RowsAreToldInTheOrderOfTheReportSoundLocksFirst) {
  CampaignOptions options = OptionsFor({BlindSpecimen(), Sound()}, {"contention", "overstay"});
  std::vector<std::string> told;
  const auto name = [](const ResultRow& row) { return row.lock + row.scenario + row.property; };
  options.on_rows = [&](std::span<const ResultRow> rows) {
    for (const ResultRow& row : rows) told.push_back(name(row));
  };
  const CampaignResult result = RunCampaign(options);
  std::vector<std::string> reported;
  for (const ResultRow& row : result.report.results) reported.push_back(name(row));
  EXPECT_EQ(told, reported);
  EXPECT_EQ(result.report.results.front().kind, reports::LockKind::kSound);
  EXPECT_EQ(result.report.results.back().kind, reports::LockKind::kSpecimen);
}

TEST(GateTest, OfEachPropertyOfALockOneViolationIsExplained) {
  CampaignOptions options =
      OptionsFor({Sound({.release_blindly = true})}, {"overstay", "chaos", "pause"});
  const auto explained = [&](Explaining explaining) {
    options.explaining = explaining;
    std::map<Judged, int> counts;
    const CampaignResult result = RunCampaign(options);
    for (const Found& found : result.found) {
      const ResultRow& row = result.report.results[found.row];
      EXPECT_TRUE(row.replay.has_value());
      EXPECT_EQ(row.unshrunk.has_value(), !found.explain);
      if (found.explain) ++counts[found.property];
    }
    EXPECT_GT(result.found.size(), 2U);
    return counts;
  };
  EXPECT_THAT(explained(Explaining::kNone), IsEmpty());
  const auto first = explained(Explaining::kFirst);
  const auto all = explained(Explaining::kAll);
  EXPECT_GT(first.size(), 1U);
  ASSERT_EQ(first.size(), all.size());
  for (const auto& [property, count] : first) EXPECT_EQ(count, 1) << Slug(property);
  EXPECT_GT(all.at(Judged::kForeignRelease), 1);
}

TEST(GateTest, ASoundLockIsProvedWithinItsBound) {
  CampaignOptions options = OptionsFor({Sound()}, {"chaos"});
  options.explore = true;
  const CampaignResult result = RunCampaign(options);
  const ResultRow* proved = FindRow(result, "test/plain", "server-exclusion", true);
  ASSERT_NE(proved, nullptr);
  EXPECT_EQ(proved->verdict, Verdict::kHolds);
  EXPECT_THAT(proved->proof->bound, HasSubstr("<= 2 clients"));
  EXPECT_THAT(proved->proof->bound, HasSubstr("<= 1 crash, <= 1 expiry, <= 1 lost reply"));
  EXPECT_THAT(proved->proof->reductions, ::testing::Not(IsEmpty()));
  EXPECT_EQ(proved->proof->states, result.report.totals.states);
  EXPECT_GT(proved->proof->states, 100U);
}

TEST(GateTest, WhatAnExplorationBreaksIsACounterexample) {
  CampaignOptions options = OptionsFor({Sound({.release_blindly = true})}, {"chaos"});
  options.explore = true;
  const CampaignResult result = RunCampaign(options);
  int broken = 0;
  for (const ResultRow& row : result.report.results) {
    if (!row.proof || row.verdict != Verdict::kViolated) continue;
    ++broken;
    EXPECT_FALSE(row.pass);
    EXPECT_THAT(row.replay.value_or(""), HasSubstr("test/plain"));
  }
  EXPECT_EQ(broken, 1) << "the search ends at the smallest";
}

// Somebody's lock may be too large for the bound: its drawn runs then decide alone.
TEST(GateTest, AnExplorationThatIsCutOffSaysSo) {
  Entry entry = Sound();
  LockExploration exploration = [&] {
    CampaignOptions options = OptionsFor({entry}, {"chaos"});
    options.explore = true;
    return ExplorationsOf(options).at(0);
  }();
  exploration.entry = &entry;
  exploration.options.most_states = 100;
  const ExplorationSum sum = Explore(exploration, nullptr);
  for (const bool foreign : {false, true}) {
    entry.foreign = foreign;
    const ResultRow row = RowOf(exploration, sum, Judged::kServerExclusion);
    EXPECT_EQ(row.verdict, Verdict::kInconclusive);
    EXPECT_THAT(row.reason, HasSubstr("more than 100 states"));
    EXPECT_EQ(row.pass, foreign);
  }
}

}  // namespace
}  // namespace interlock::scenarios
