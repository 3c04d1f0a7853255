// SPDX-License-Identifier: MIT
//
// What has become of findings between two runs, and how that is told.
#include "reports/run_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "golden.h"
#include "pipe.h"
#include "report_samples.h"
#include "reports/diff_writer.h"
#include "reports/escape.h"

namespace interlock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StoredRun Mixed() { return {MixedReport(), {ForeignRelease()}}; }

/// The rows of the failing property: one with a counterexample, one without.
std::vector<ResultRow*> ForeignRows(StoredRun& run) {
  std::vector<ResultRow*> rows;
  for (ResultRow& row : run.report.results) {
    if (row.lock == "acme.job-lock" && row.code == "LK005") rows.push_back(&row);
  }
  return rows;
}

void Mend(StoredRun& run) {
  for (ResultRow* row : ForeignRows(run)) {
    row->verdict = Verdict::kHolds;
    row->pass = true;
    row->replay.reset();
    row->counterexample.reset();
  }
  run.counterexamples.clear();
}

const Change* Of(const RunDiff& diff, const std::string& property, Standing standing) {
  for (const Change& change : diff.changes) {
    if (change.finding.property == property && change.standing == standing) return &change;
  }
  return nullptr;
}

TEST(RunDiffTest, TheSameRunHasNothingNew) {
  const RunDiff diff = Diff(Mixed(), Mixed());
  ASSERT_FALSE(diff.changes.empty());
  for (const Change& change : diff.changes) EXPECT_EQ(change.standing, Standing::kStill);
  EXPECT_EQ(ExitCodeOf(diff), ExitCode::kPass) << "the run's own exit code says that it fails";
  EXPECT_THAT(diff.notes, ::testing::Contains(HasSubstr("the same runs")));
}

TEST(RunDiffTest, AFingerprintOutlivesTimesClientsSeedAndScenario) {
  StoredRun now = Mixed();
  now.report.seed = 77;
  now.counterexamples[0].faults = {"pause of C2 at 17.25 ms for 1.1 s"};
  now.counterexamples[0].sentence = "C2 deleted it";
  for (ResultRow* row : ForeignRows(now)) row->scenario = "chaos";
  now.counterexamples[0].scenario = "chaos";
  const RunDiff diff = Diff(Mixed(), now);
  EXPECT_NE(Of(diff, "LK005 foreign-release", Standing::kStill), nullptr);
  EXPECT_EQ(Of(diff, "LK005 foreign-release", Standing::kNew), nullptr);
}

TEST(RunDiffTest, OtherFaultsAreAnotherFindingAndSoIsAnotherLock) {
  StoredRun now = Mixed();
  // Without the row that has no case to tell its faults by.
  StoredRun before = Mixed();
  for (StoredRun* run : {&before, &now}) {
    std::erase_if(run->report.results, [](const ResultRow& row) {
      return row.code == "LK005" && row.lock == "acme.job-lock" && !row.counterexample;
    });
  }
  now.counterexamples[0].faults.emplace_back("C1 at step 3: crash");
  const RunDiff diff = Diff(before, now);
  const Change* fresh = Of(diff, "LK005 foreign-release", Standing::kNew);
  ASSERT_NE(fresh, nullptr);
  EXPECT_THAT(fresh->remark, HasSubstr("by other faults"));
  EXPECT_EQ(ExitCodeOf(diff), ExitCode::kViolated);
  StoredRun other = Mixed();
  for (ResultRow* row : ForeignRows(other)) row->lock = "acme.other";
  EXPECT_NE(Of(Diff(before, other), "LK005 foreign-release", Standing::kNew), nullptr);
}

TEST(RunDiffTest, WithoutACaseFaultsAreNotHeldAgainstAFinding) {
  StoredRun now = Mixed();
  now.counterexamples.clear();  // run.json is often kept alone
  const RunDiff diff = Diff(Mixed(), now);
  EXPECT_NE(Of(diff, "LK005 foreign-release", Standing::kStill), nullptr);
  EXPECT_EQ(ExitCodeOf(diff), ExitCode::kPass);
}

TEST(RunDiffTest, WhatIsGoneIsFixedOnlyIfItWasLookedForOftenEnough) {
  StoredRun now = Mixed();
  Mend(now);
  EXPECT_NE(Of(Diff(Mixed(), now), "LK005 foreign-release", Standing::kFixed), nullptr);
  // 214 of 10,000 runs: 50 runs would miss it in a third of all cases; it has two places.
  for (ResultRow* row : ForeignRows(now)) row->runs = 25;
  const RunDiff rare = Diff(Mixed(), now);
  const Change* gone = Of(rare, "LK005 foreign-release", Standing::kRare);
  ASSERT_NE(gone, nullptr);
  EXPECT_THAT(gone->remark, HasSubstr("of 100 cases"));
  EXPECT_EQ(ExitCodeOf(rare), ExitCode::kInconclusive);
  for (ResultRow* row : ForeignRows(now)) row->verdict = Verdict::kInconclusive;
  const RunDiff unseen = Diff(Mixed(), now);
  EXPECT_NE(Of(unseen, "LK005 foreign-release", Standing::kUnseen), nullptr);
  EXPECT_EQ(ExitCodeOf(unseen), ExitCode::kInconclusive);
}

TEST(RunDiffTest, WhatIsNewSaysIfTheEarlierRunCouldHaveMissedIt) {
  StoredRun before = Mixed();
  Mend(before);
  const RunDiff diff = Diff(before, Mixed());
  const Change* fresh = Of(diff, "LK005 foreign-release", Standing::kNew);
  ASSERT_NE(fresh, nullptr);
  EXPECT_EQ(fresh->remark, "");
  EXPECT_EQ(ExitCodeOf(diff), ExitCode::kViolated);
  for (ResultRow* row : ForeignRows(before)) row->runs = 10;
  EXPECT_THAT(Of(Diff(before, Mixed()), "LK005 foreign-release", Standing::kNew)->remark,
              HasSubstr("it may be older"));
  std::erase_if(before.report.results, [](const ResultRow& row) { return row.code == "LK005"; });
  EXPECT_THAT(Of(Diff(before, Mixed()), "LK005 foreign-release", Standing::kNew)->remark,
              HasSubstr("did not put it to the test"));
}

TEST(RunDiffTest, APartOfARunProvesNothing) {
  StoredRun now = Mixed();
  now.report.status = RunStatus::kPartial;
  EXPECT_EQ(ExitCodeOf(Diff(Mixed(), now)), ExitCode::kInconclusive);
  now.report.totals.divergences = 1;
  EXPECT_EQ(ExitCodeOf(Diff(Mixed(), now)), ExitCode::kInternal);
}

StoredRun Measured(std::vector<GateResult> gates) {
  StoredRun run;
  run.contention.emplace().gates = std::move(gates);
  return run;
}

TEST(RunDiffTest, OfMeasurementsTheThresholdsAreTheFindings) {
  const StoredRun before = Measured({{"a <= 1", true, true, "1"},
                                     {"b <= 1", false, true, "2"},
                                     {"c <= 1", false, true, "3"},
                                     {"d <= 1", false, true, "4"}});
  const StoredRun now = Measured(
      {{"a <= 1", false, true, "5"}, {"b <= 1", false, true, "6"}, {"c <= 1", true, true, "1"}});
  const RunDiff diff = Diff(before, now);
  EXPECT_NE(Of(diff, "a <= 1", Standing::kNew), nullptr);
  EXPECT_NE(Of(diff, "b <= 1", Standing::kStill), nullptr);
  EXPECT_NE(Of(diff, "c <= 1", Standing::kFixed), nullptr);
  EXPECT_NE(Of(diff, "d <= 1", Standing::kUnseen), nullptr);
  EXPECT_EQ(ExitCodeOf(diff), ExitCode::kThreshold);
  EXPECT_EQ(ExitCodeOf(Diff(before, before)), ExitCode::kPass);
  const StoredRun doubt = Measured({{"a <= 1", false, false, "nothing"}});
  EXPECT_EQ(ExitCodeOf(Diff(Measured({{"a <= 1", true, true, "1"}}), doubt)),
            ExitCode::kInconclusive);
}

RunDiff Sample() {
  StoredRun before = Mixed();
  Mend(before);
  before.report.results.erase(before.report.results.begin() + 3);  // redlock, which now passes
  return Diff(before, Mixed());
}

TEST(DiffWriterTest, EachFormatIsAsItWasApproved) {
  ExpectApproved("diff.approved.txt", ToText(Sample(), {}));
  ExpectApproved("diff.approved.md", ToMarkdown(Sample()));
  ExpectApproved("diff.approved.json", ToJson(Sample()));
}

TEST(DiffWriterTest, ForeignTextHasNoMeaningInAnyFormat) {
  for (const std::string& hostile :
       {HostileText(), std::string("<b>|`x` @you\n::error::y\x1b[31m"), std::string("\n##[group]"),
        std::string(1'000'000, 'n') + "::error::"}) {
    StoredRun now{HostileReport(hostile), {HostileCounterexample(hostile)}};
    for (ResultRow& row : now.report.results) row.replay.reset();
    const RunDiff diff = Diff({PassingReport(), {}}, now);
    ASSERT_FALSE(diff.changes.empty());
    const std::string text = ToText(diff, {});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\n::")));
    EXPECT_THAT(text, Not(HasSubstr("##[")));
    EXPECT_EQ(text, ToValidUtf8(text));
    EXPECT_LT(text.size(), 100'000U);
    const std::string markdown = ToMarkdown(diff);
    EXPECT_LT(markdown.size(), 100'000U);
    const std::string html = Pipe(INTERLOCK_CMARK_GFM " -e table --unsafe", markdown);
    for (const char* meaning : {"<b>", "<script", "<img", "<code>x"}) {
      EXPECT_THAT(html, Not(HasSubstr(meaning)));
    }
    const auto json = nlohmann::json::parse(ToJson(diff));
    EXPECT_EQ(json.at("schema"), "interlock.diff/1");
  }
}

}  // namespace
}  // namespace interlock::reports
