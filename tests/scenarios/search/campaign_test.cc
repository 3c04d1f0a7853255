// SPDX-License-Identifier: MIT
//
// The gate as a whole, in small: verdicts, controls, and that nothing depends on the number of
// threads.
#include "scenarios/search/campaign.h"

#include <map>
#include <mutex>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/exit_code.h"
#include "reports/json_writer.h"
#include "scenarios/search/row_book.h"
#include "scenarios/search/rows.h"
#include "scenarios/search/unit_runner.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;
using ::testing::HasSubstr;

Entry PlainOne(testing::PlainOptions options = {}) {
  return {testing::PlainSubject(std::move(options)), false, {}};
}

/// A lock that deletes whatever is there, and is known to.
Entry BlindOne() {
  return {testing::PlainSubject({.name = "test/blind", .release_blindly = true}),
          true,
          {{"foreign-release", "overstay", SynchronyClass::kNone}}};
}

CampaignResult Campaign(std::vector<Entry> entries, std::vector<std::string_view> scenarios,
                        std::uint64_t runs, int jobs = 2) {
  CampaignOptions options;
  options.entries = std::move(entries);
  for (const std::string_view name : scenarios) options.scenarios.push_back(FindScenario(name));
  options.runs = runs;
  options.jobs = jobs;
  return RunCampaign(options);
}

const ResultRow* RowAbout(const CampaignResult& result, std::string_view lock,
                          std::string_view property) {
  for (const ResultRow& row : result.report.results) {
    if (row.lock == lock && row.property == property) return &row;
  }
  return nullptr;
}

TEST(CampaignTest, ResultsAndTraceHashDoNotDependOnTheNumberOfThreads) {
  // Three blocks of work per unit, the last one short.
  const auto entries = [] { return std::vector<Entry>{PlainOne(), BlindOne()}; };
  CampaignResult one = Campaign(entries(), {"overstay", "chaos"}, 250, 1);
  CampaignResult three = Campaign(entries(), {"overstay", "chaos"}, 250, 3);
  EXPECT_NE(one.report.trace_hash, 0U);
  EXPECT_EQ(one.report.trace_hash, three.report.trace_hash);
  EXPECT_EQ(reports::ToJson(one.report), reports::ToJson(three.report));
  ASSERT_EQ(one.found.size(), three.found.size());
  EXPECT_FALSE(one.found.empty());
  for (std::size_t i = 0; i < one.found.size(); ++i) {
    EXPECT_EQ(one.found[i].token, three.found[i].token);
  }
}

TEST(CampaignTest, TheTimesOfManyLongRestsAddUp) {
  std::vector<Entry> entries;
  for (int i = 0; i < 50; ++i) entries.push_back(PlainOne({.name = "test/" + std::to_string(i)}));
  const auto one = Campaign({PlainOne()}, {"idle"}, 1).report.totals.virtual_time;
  EXPECT_EQ(Campaign(std::move(entries), {"idle"}, 1).report.totals.virtual_time, 50 * one);
}

TEST(CampaignTest, WhatIsNotJudgedOfALockThatHidesItsOwnersIsSaid) {
  const CampaignResult hidden = Campaign({PlainOne({.hide_owner = true})}, {"overstay"}, 20);
  ASSERT_EQ(hidden.report.notes.size(), 1U);
  EXPECT_THAT(hidden.report.notes[0], HasSubstr("test/plain: Owners() shows nothing"));
  EXPECT_THAT(hidden.report.notes[0], HasSubstr("LK001, LK005"));
  EXPECT_EQ(RowAbout(hidden, "test/plain", "server-exclusion"), nullptr);
  EXPECT_TRUE(Campaign({PlainOne()}, {"overstay"}, 20).report.notes.empty());
}

// Where a lock keeps keys that nobody can see, what seems wrong may be right.
TEST(CampaignTest, ALockThatWritesOutsideOfItsPrefixIsNotConvicted) {
  const CampaignResult result = Campaign(
      {PlainOne({.release_blindly = true, .preface = {"SET", "elsewhere", "1", "EX", "9"}})},
      {"overstay"}, 50);
  EXPECT_TRUE(result.found.empty());
  for (const ResultRow& row : result.report.results) {
    EXPECT_EQ(row.verdict, Verdict::kInconclusive) << row.property;
    EXPECT_THAT(row.reason, HasSubstr("\"elsewhere\" is outside of the key prefix"));
  }
}

TEST(CampaignTest, AnotherSeedGivesAnotherHash) {
  CampaignOptions options;
  options.entries = {PlainOne()};
  options.scenarios = {FindScenario("contention")};
  options.runs = 20;
  const std::uint64_t first = RunCampaign(options).report.trace_hash;
  options.seed = 2;
  EXPECT_NE(RunCampaign(options).report.trace_hash, first);
}

// No generator knows which lock it feeds: two locks get the same workloads, run by run.
TEST(CampaignTest, EveryLockGetsTheSameWorkloads) {
  std::mutex mutex;
  std::map<std::string, std::vector<std::pair<std::int64_t, int>>> seen;
  std::vector<Entry> entries;
  for (const bool blindly : {false, true}) {
    const std::string name = blindly ? "test/other" : "test/one";
    entries.push_back(PlainOne({.name = name,
                                .release_blindly = blindly,
                                .preface = {},
                                .on_new_lock = [&, name](const harness::LockOptions& options) {
                                  const std::lock_guard lock(mutex);
                                  seen[name].emplace_back(options.lease.count(), options.permits);
                                }}));
  }
  // Contention alone: without a violation nothing is shrunk, which would run more of the one.
  Campaign(entries, {"contention"}, 60, 1);
  EXPECT_GT(seen["test/one"].size(), 60U);
  EXPECT_EQ(seen["test/one"], seen["test/other"]);
}

TEST(CampaignTest, TheHashOfAUnitIsThatOfItsFirstRuns) {
  const Entry entry = PlainOne();
  const Unit unit{&entry, FindScenario("chaos"), SynchronyClass::kArbitrary};
  const auto hash = [&](std::uint64_t seed, std::uint64_t runs) {
    CampaignOptions options;
    options.seed = seed;
    return UnitRunner(options).RunBlock(unit, 0, runs).hash;
  };
  EXPECT_EQ(hash(1, 20), hash(1, 20));
  EXPECT_NE(hash(1, 20), hash(1, 19));
  EXPECT_NE(hash(1, 20), hash(2, 20));
}

TEST(CampaignTest, SomeRunsAreMadeTwiceAndNoneDiverges) {
  const CampaignResult result = Campaign({PlainOne()}, {"chaos"}, 250);
  EXPECT_EQ(result.report.totals.runs, 500U);  // two classes
  EXPECT_EQ(result.report.totals.double_runs, 10U);
  EXPECT_EQ(result.report.totals.divergences, 0U);
}

// The others would take as long as thousands, and say the same again.
TEST(CampaignTest, AUnitEndsWithItsFirstEndlessRunWhateverTheNumberOfThreads) {
  std::optional<std::uint64_t> hash;
  for (const int jobs : {1, 2}) {
    CampaignOptions options;
    options.jobs = jobs;
    options.runs = 600;
    options.explaining = Explaining::kNone;
    options.entries = {PlainOne({.name = "test/asks-on", .release_asks_on = true})};
    options.scenarios = {FindScenario("chaos")};
    const CampaignResult result = RunCampaign(options);
    const ResultRow* violated = RowAbout(result, "test/asks-on", "termination");
    ASSERT_NE(violated, nullptr);
    EXPECT_EQ(violated->verdict, Verdict::kViolated);
    EXPECT_LT(violated->runs, 200U);
    const ResultRow* other = RowAbout(result, "test/asks-on", "server-exclusion");
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->verdict, Verdict::kInconclusive);
    EXPECT_THAT(other->reason, HasSubstr("went on until it was ended"));
    EXPECT_EQ(hash.value_or(result.report.trace_hash), result.report.trace_hash);
    hash = result.report.trace_hash;
  }
}

TEST(CampaignTest, ADivergenceIsAnInternalFaultAndNotAVerdict) {
  UnitResult sum;
  RunResult run;
  run.exercised[Judged::kServerExclusion] = true;
  AddRun(run, 0, sum);
  sum.double_runs = 1;
  sum.divergences = 1;
  const Entry entry = PlainOne();
  CampaignResult result;
  FillRows({{&entry, FindScenario("contention"), SynchronyClass::kNone}}, {sum}, result);
  EXPECT_EQ(result.report.totals.divergences, 1U);
  EXPECT_EQ(reports::ExitCodeOf(result.report), reports::ExitCode::kInternal);
}

// Somebody's lock may take off a larger allowance than the case takes for granted.
TEST(CampaignTest, AWeaknessThatDoesNotShowFailsOurOwnLocksAndNotAUsersLock) {
  UnitResult sum;
  sum.runs = 12;
  sum.exercised[Judged::kBeliefExclusion] = 12;
  for (const bool foreign : {false, true}) {
    Entry entry = PlainOne();
    entry.foreign = foreign;
    CampaignResult result;
    FillRows({{&entry, FindScenario("antirez.a3"), SynchronyClass::kNone}}, {sum}, result);
    DecideRows(result.report.results);
    const ResultRow* row = RowAbout(result, "test/plain", "belief-exclusion");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->verdict, Verdict::kHolds);
    EXPECT_EQ(row->pass, foreign);
  }
}

// What one run in some hundreds reaches cannot be demanded of a short look at one scenario.
TEST(CampaignTest, RareGoalsAreDemandedOfLongCampaignsAlone) {
  constexpr harness::Traits kTraits = {.kind = harness::Permits{}, .can_extend = true};
  const Scenario& scenario = *FindScenario("permits");
  const GoalSet few = ReachableGoals(scenario, kTraits, kRunsForRareGoals - 1);
  const GoalSet many = ReachableGoals(scenario, kTraits, kRunsForRareGoals);
  for (const Goal goal : {Goal::kRenewalRacedExpiry, Goal::kReleaseReplyLost,
                          Goal::kWokenAsTimedOut, Goal::kFullThenCrash}) {
    EXPECT_FALSE(few.Has(goal)) << Name(goal);
    EXPECT_TRUE(many.Has(goal)) << Name(goal);
  }
}

TEST(CampaignTest, AGoalIsDemandedOnlyWhereTheLockCanReachIt) {
  const Scenario& crowd = *FindScenario("crowd");
  const auto reachable = [&](const harness::Traits& traits) {
    return ReachableGoals(crowd, traits, kRunsForRareGoals);
  };
  EXPECT_TRUE(reachable({.bypass_bound = 2}).Has(Goal::kOvertaken));
  EXPECT_FALSE(reachable({}).Has(Goal::kOvertaken)) << "there may be no line";
  EXPECT_FALSE(reachable({.bypass_bound = 0}).Has(Goal::kOvertaken));
  EXPECT_FALSE(ReachableGoals(*FindScenario("pause"), {.lasts_as_connection = true}, 1)
                   .Has(Goal::kPausedPastLease));
  EXPECT_FALSE(reachable({.waits = false}).Has(Goal::kWokenAsTimedOut));
  EXPECT_FALSE(reachable({.can_extend = true}).Has(Goal::kRenewalRacedExpiry));
  EXPECT_FALSE(reachable({}).Has(Goal::kReleaseReplyLost));
  EXPECT_FALSE(reachable({.kind = harness::Permits{}}).Has(Goal::kFullThenCrash));
}

TEST(CampaignTest, ASpecimenBesideASoundControlIsConvicted) {
  const CampaignResult result = Campaign({PlainOne(), BlindOne()}, {"overstay"}, 300);
  const ResultRow* row = RowAbout(result, "test/blind", "foreign-release");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kViolated);
  EXPECT_TRUE(row->pass);
  EXPECT_EQ(row->code, "LK005");
  EXPECT_TRUE(row->replay.has_value());
  EXPECT_TRUE(row->runs_to_first_violation.has_value());
}

TEST(CampaignTest, AConvictionWithoutASoundControlIsInconclusive) {
  const CampaignResult result = Campaign({BlindOne()}, {"overstay"}, 300);
  const ResultRow* row = RowAbout(result, "test/blind", "foreign-release");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kInconclusive);
  EXPECT_FALSE(row->pass);
  EXPECT_THAT(row->reason, HasSubstr("no sound lock"));
}

// A lock that is convicted itself is no control.
TEST(CampaignTest, AConvictedSoundLockIsNoControl) {
  Entry convicted = PlainOne({.name = "test/also-blind", .release_blindly = true});
  const CampaignResult result = Campaign({convicted, BlindOne()}, {"overstay"}, 300);
  EXPECT_EQ(RowAbout(result, "test/blind", "foreign-release")->verdict, Verdict::kInconclusive);
  const ResultRow* row = RowAbout(result, "test/also-blind", "foreign-release");
  EXPECT_EQ(row->verdict, Verdict::kViolated);
  EXPECT_FALSE(row->pass);
  EXPECT_EQ(reports::ExitCodeOf(*row), reports::ExitCode::kViolated);
}

TEST(CampaignTest, AnAcquittedSpecimenFailsTheGate) {
  Entry acquitted = BlindOne();
  acquitted.subject = testing::PlainSubject({.name = "test/reformed"});
  const CampaignResult result = Campaign({PlainOne(), acquitted}, {"overstay"}, 300);
  const ResultRow* row = RowAbout(result, "test/reformed", "foreign-release");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kHolds);
  EXPECT_FALSE(row->pass);
  EXPECT_EQ(reports::ExitCodeOf(*row), reports::ExitCode::kViolated);
}

TEST(CampaignTest, AnUnmodelledCommandMakesEveryRowInconclusiveAndIsNamed) {
  const CampaignResult result = Campaign(
      {PlainOne({.name = "test/counting", .preface = {"PFCOUNT", "log"}})}, {"contention"}, 20);
  EXPECT_FALSE(result.report.results.empty());
  for (const ResultRow& row : result.report.results) {
    EXPECT_EQ(row.verdict, Verdict::kInconclusive) << row.property;
    EXPECT_FALSE(row.pass);
    EXPECT_THAT(row.reason, HasSubstr("PFCOUNT"));
    EXPECT_THAT(row.reason, HasSubstr("20 of 20 runs"));
  }
  EXPECT_EQ(reports::ExitCodeOf(result.report), reports::ExitCode::kInconclusive);
}

TEST(CampaignTest, APropertyThatNoRunPutToTheTestIsInconclusive) {
  CampaignOptions options;
  options.entries = {PlainOne()};
  Scenario lonely = *FindScenario("contention");
  lonely.pinned = {
      Workload{.lease = std::chrono::seconds(1), .clients = {ClientPlan{}, ClientPlan{}}}};
  options.scenarios = {&lonely};
  options.runs = 3;
  const CampaignResult result = RunCampaign(options);
  const ResultRow* row = RowAbout(result, "test/plain", "server-exclusion");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kInconclusive);
  EXPECT_EQ(row->exercised, 0U);
  EXPECT_FALSE(row->pass);
}

TEST(CampaignTest, AStoppedCampaignIsPartial) {
  const std::atomic<bool> stop{true};
  CampaignOptions options;
  options.entries = {PlainOne()};
  options.scenarios = {FindScenario("contention")};
  options.stop = &stop;
  const CampaignResult result = RunCampaign(options);
  EXPECT_EQ(result.report.status, reports::RunStatus::kPartial);
  EXPECT_EQ(result.report.totals.runs, 0U);
}

TEST(CampaignTest, ABudgetRepeatsRoundsUntilItIsSpent) {
  CampaignOptions options;
  options.entries = {PlainOne()};
  options.scenarios = {FindScenario("contention")};
  options.runs = 10;
  options.budget = std::chrono::milliseconds(300);
  const CampaignResult result = RunCampaign(options);
  EXPECT_EQ(result.report.totals.runs % 10, 0U);
  EXPECT_GE(result.report.totals.runs, 10U);
}

// Section exclusion under unbounded pauses is shown and never judged.
TEST(CampaignTest, WhatNoLeaseLockCanPromiseNeitherPassesNorFailsTheGate) {
  const CampaignResult result = Campaign({PlainOne()}, {"pause"}, 400);
  for (const ResultRow& row : result.report.results) {
    const bool promised = !(row.property == "section-exclusion" &&
                            row.synchrony == reports::SynchronyClass::kArbitrary);
    EXPECT_EQ(row.expected,
              promised ? reports::Expectation::kHolds : reports::Expectation::kEither);
    EXPECT_TRUE(row.pass) << row.property << " " << reports::ToString(row.synchrony) << " "
                          << row.reason;
    if (!promised) {
      EXPECT_EQ(row.verdict, Verdict::kViolated);
    }
  }
}

}  // namespace
}  // namespace interlock::scenarios
