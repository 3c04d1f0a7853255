// SPDX-License-Identifier: MIT
//
// A violation found in the wildest class becomes a case that fits on a page, with the same
// property, and its token replays it to the bit.
#include "scenarios/search/shrink/shrink.h"
#include "scenarios/judge/property.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json_writer.h"
#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/to_report.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

std::string DescribeCase(const Found& found) {
  return std::string(found.unit.entry->subject->name()) + " " + std::string(Slug(found.property)) +
         " " + found.token;
}

RunResult Replay(const Found& found, const PackedRun& run) {
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(run.tape);
  const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                         found.unit.synchrony};
  return RunOnce(universe, run_case, run.workload, choices);
}

void ExpectSmall(const Found& found) {
  EXPECT_LE(found.workload.clients.size(), 4U);
  EXPECT_LE(FaultPlanOf(found.workload).size(), 2U);
  EXPECT_GE(found.original.clients.size(), found.workload.clients.size());
}

void ExpectReplays(const Found& found) {
  const auto token = DecodeReplayToken(found.token);
  ASSERT_TRUE(token.ok()) << token.status().ToString();
  const auto& packed = std::get<PackedRun>(token->run);
  EXPECT_EQ(packed.workload, found.workload);
  EXPECT_EQ(packed.tape, found.tape);
  const RunResult first = Replay(found, packed);
  EXPECT_NE(first.Find(found.property), nullptr);
  EXPECT_EQ(Replay(found, packed).trace_hash, first.trace_hash);
  EXPECT_EQ(Explain(found, "./interlock", Effort::kShow).trace_hash, first.trace_hash);
}

void ExpectTellsItsStory(const Found& found) {
  const reports::Counterexample counterexample =
      Explain(found, "./interlock", Effort::kShow).counterexample;
  EXPECT_EQ(counterexample.lock, found.unit.entry->subject->name());
  EXPECT_EQ(counterexample.property, Slug(found.property));
  EXPECT_EQ(counterexample.code, Code(found.property));
  EXPECT_FALSE(counterexample.title.empty());
  EXPECT_FALSE(counterexample.sentence.empty());
  EXPECT_FALSE(counterexample.hints.empty());
  EXPECT_FALSE(counterexample.rows.empty());
  EXPECT_EQ(counterexample.shrunk.now.clients, found.workload.clients.size());
  EXPECT_EQ(counterexample.shrunk.original.clients, found.original.clients.size());
  EXPECT_THAT(counterexample.replay, HasSubstr(found.token));
  std::int64_t before = 0;
  for (const reports::TableRow& row : counterexample.rows) {
    EXPECT_LT(row.column, counterexample.columns.size());
    EXPECT_LE(before, row.time_ns);
    before = row.time_ns;
  }
  const auto read = reports::ReadCounterexample(reports::ToJson(counterexample));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->replay, counterexample.replay);
}

// One test, because finding and shrinking is the expensive part: every violation that some
// specimens show in chaos becomes small, replays to the bit and tells its story.
TEST(ShrinkTest, EveryViolationInChaosBecomesASmallCaseThatReplays) {
  Scenario scenario = *FindScenario("chaos");
  scenario.classes = {SynchronyClass::kArbitrary};
  CampaignOptions options;
  const std::set<std::string_view> some = {"broken/exists-set-expire", "broken/setnx-then-expire",
                                           "broken/get-compare-del", "broken/del-without-owner",
                                           "broken/redis-single-file"};
  for (const Specimen& specimen : Specimens()) {
    if (!some.contains(specimen.subject->name())) continue;
    // Entered as sound ones: what decides nothing is shrunk with less effort.
    options.entries.push_back({specimen.subject, false, {}});
  }
  options.scenarios = {&scenario};
  options.runs = 2000;
  options.jobs = 2;
  const CampaignResult result = RunCampaign(options);
  std::set<std::string_view> convicted;
  for (const Found& found : result.found) {
    SCOPED_TRACE(DescribeCase(found));
    convicted.insert(found.unit.entry->subject->name());
    ExpectSmall(found);
    ExpectReplays(found);
    ExpectTellsItsStory(found);
  }
  EXPECT_EQ(convicted.size(), options.entries.size());
}

// The budget bounds the runs, and what is there when it ends is a failing case all the same.
TEST(ShrinkBudgetTest, ASmallBudgetGivesALargerCaseThatStillFails) {
  const auto subject = testing::PlainSubject({.name = "test/blind", .release_blindly = true});
  const Scenario& scenario = *FindScenario("overstay");
  const RunCase run_case{subject.get(), &scenario, SynchronyClass::kNone};
  sim::Universe universe;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Workload original = Generator(scenario).Draw(seed);
    sim::Choices choices = ChoicesOfRun(seed);
    const RunResult run = RunOnce(universe, run_case, original, choices);
    if (run.Find(Judged::kForeignRelease) == nullptr) continue;
    const sim::Tape tape = choices.TakeTape();
    for (const int budget : {0, 1, 20}) {
      const ShrinkResult shrunk =
          Shrink(universe, run_case, original, tape, Judged::kForeignRelease, budget);
      EXPECT_LE(shrunk.tries, budget);
      EXPECT_LE(shrunk.shrinks, shrunk.tries);
      sim::Choices replayed = sim::Choices::FromTape(shrunk.tape);
      const RunResult again = RunOnce(universe, run_case, shrunk.workload, replayed);
      EXPECT_NE(again.Find(Judged::kForeignRelease), nullptr) << budget;
      if (budget == 0) {
        EXPECT_EQ(shrunk.workload, original);
      }
    }
    return;
  }
  FAIL() << "no run violated the property";
}

}  // namespace
}  // namespace interlock::scenarios
