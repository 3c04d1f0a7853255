// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "report_samples.h"
#include "reports/text_layout.h"
#include "reports/text_rows.h"
#include "reports/text_writer.h"
#include "reports/time_table.h"

namespace interlock::reports {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TextWriterTest, NoLineIsWiderThanAsked) {
  for (const int width : {60, 80, 100, 160}) {
    for (const bool utf8 : {true, false}) {
      const TextOptions options{.utf8 = utf8, .width = width};
      for (const std::string& line : Lines(ToText(MixedReport(), {ForeignRelease()}, options))) {
        if (Contains(line, "interlock replay")) continue;
        EXPECT_LE(DisplayWidth(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

TEST(TextWriterTest, LastLineSaysTheVerdict) {
  EXPECT_EQ(0U, Lines(ToText(PassingReport(), {}, {})).back().find("PASS  "));
  EXPECT_EQ(0U, Lines(ToText(MixedReport(), {}, {})).back().find("FAIL  "));
  EXPECT_EQ(0U, Lines(ToText(RunReport{}, {}, {})).back().find("INCONCLUSIVE  "));
  RunReport diverged = PassingReport();
  diverged.totals.double_runs = 10;
  diverged.totals.divergences = 2;
  const std::string text = ToText(diverged, {}, {});
  EXPECT_EQ(0U, Lines(text).back().find("INTERNAL FAULT  "));
  EXPECT_TRUE(Contains(text, "2 of 10 double runs diverged (LK016)"));
  EXPECT_TRUE(Contains(Lines(text).back(), "no verdict of"));
  EXPECT_FALSE(Contains(Lines(text).back(), "passed"));
}

TEST(TextWriterTest, LastLineSaysWhyARunWhoseRowsAllPassDoesNot) {
  RunReport report = PassingReport();
  report.goals.push_back({"refused", 0});
  EXPECT_TRUE(Contains(ToText(report, {}, {.width = 160}), " · 1 goal never seen   "));
  report.goals.push_back({"contended", 0});
  EXPECT_TRUE(Contains(ToText(report, {}, {.width = 160}), " · 2 goals never seen   "));
}

// Where the caller is not known, no command is made up: the token alone is shown.
TEST(TextWriterTest, NoProgramIsNamedThatIsNotKnown) {
  Counterexample example = ForeignRelease();
  example.caller.clear();
  example.replay = "v1:acme:chaos:none:r1:00000000";
  const std::string bare = ToText(example, TextOptions{});
  EXPECT_FALSE(Contains(bare, "explain"));
  EXPECT_FALSE(Contains(bare, " Replay:\n"));
  EXPECT_TRUE(Contains(bare, "\n   v1:acme:chaos:none:r1:00000000\n"));
  example.caller = "./acme";
  EXPECT_TRUE(Contains(ToText(example, TextOptions{}), "./acme explain LK005"));
  RunReport report = MixedReport();
  report.tool.program.clear();
  EXPECT_FALSE(Contains(ToText(report, {}, {}), " replay '"));
}

TEST(TextWriterTest, OneFullCounterexamplePerProperty) {
  Counterexample again = ForeignRelease();
  again.synchrony = SynchronyClass::kBounded;
  const std::string text = ToText(MixedReport(), {ForeignRelease(), again}, {});
  const std::size_t first = text.find("time (ms)");
  ASSERT_NE(std::string::npos, first);
  EXPECT_EQ(std::string::npos, text.find("time (ms)", first + 1));
  const std::size_t rest = text.find("Further failures:");
  ASSERT_NE(std::string::npos, rest);
  EXPECT_NE(std::string::npos, text.find("redis.d2 [bounded]", rest));
  EXPECT_NE(std::string::npos, text.find("./interlock replay 'v1:acme.job-lock", rest));
}

TEST(TextWriterTest, ExpectedWeaknessIsNamedAndNotCountedAsFailure) {
  const std::string text = ToText(PassingReport(), {}, {});
  EXPECT_TRUE(Contains(text, "  weakness"));
  EXPECT_TRUE(Contains(text, "violated in run 12, as expected"));
  EXPECT_TRUE(Contains(text, "PASS  3 of 3 passed   412 000 runs in 58.3 s   seed 0x8f3a"));
  EXPECT_TRUE(Contains(text, "Expected weaknesses, not counted as failures: 2"));
}

// A specimen is judged by its conviction alone; what else it does must not look like praise.
TEST(TextWriterTest, OtherRowsOfASpecimenAreOnlyNoted) {
  RunReport report = PassingReport();
  report.results.resize(1);
  report.results[0].kind = LockKind::kSpecimen;
  report.results[0].expected = Expectation::kEither;
  const std::string text = ToText(report, {}, {});
  EXPECT_FALSE(Contains(text, "pass "));
  EXPECT_TRUE(Contains(text, "  noted         1 verdict on which nothing depends"));
}

TEST(TextWriterTest, ColorsAreUsedOnlyWhenAsked) {
  EXPECT_FALSE(Contains(ToText(MixedReport(), {ForeignRelease()}, {}), "\x1b"));
  EXPECT_TRUE(Contains(ToText(MixedReport(), {}, TextOptions{.color = true}), "\x1b[1;31mFAIL"));
}

TEST(TextWriterTest, PassesOfAScenarioShareALineThatNamesTheWeakest) {
  RunReport report = PassingReport();
  const ResultRow first = report.results.front();
  ResultRow weak = first;
  weak.code = "LK010";
  weak.exercised = 30;
  report.results.insert(report.results.begin() + 1, {first, weak});
  const std::string text = ToText(report, {}, TextOptions{});
  EXPECT_TRUE(Contains(text, "3 hold; LK010 tested in 30 of 10 000 runs: < 1 in 10 (95 %)"))
      << text;
  EXPECT_TRUE(Contains(text, "weakest: mutex LK010, 1 in 10\n")) << text;
}

// Three runs allow any probability below one.
TEST(TextWriterTest, AFewRunsAreSaidToBeTooFewToBoundAProbability) {
  RunReport report = PassingReport();
  report.results.front().exercised = 3;
  const std::string text = ToText(report, {}, TextOptions{.width = 200});
  EXPECT_TRUE(Contains(text, "3 of 10 000 runs: too few runs\n")) << text;
  EXPECT_TRUE(Contains(text, ": too few to say how rare a violation is\n")) << text;
  EXPECT_FALSE(Contains(text, "1 in 1")) << text;
}

TEST(TextWriterTest, PassesOfAPinnedCaseSayThatAllItsPlacingsWereRun) {
  RunReport report = PassingReport();
  report.results.front().placings = 36;
  EXPECT_TRUE(Contains(ToText(report, {}, {}), "holds in all 36 placings"));
}

TEST(TextWriterTest, AProofIsToldWithItsBoundAndItsStates) {
  RunReport report = PassingReport();
  ResultRow proved = report.results.front();
  proved.proof =
      Proof{"<= 2 clients, <= 1 crash", 4727, {"states with the same future taken once"}};
  report.results.push_back(proved);
  proved.code = "LK002";
  report.results.push_back(proved);
  const std::string text = ToText(report, {}, {});
  EXPECT_TRUE(Contains(text, "  proved        LK001 LK002 in kleppmann.k1")) << text;
  EXPECT_TRUE(Contains(text, "in every run of <= 2 clients, <= 1 crash")) << text;
}

TEST(TextWriterTest, RowsThatComeOneByOneAreToldAsAllTogether) {
  const RunReport report = MixedReport();
  std::string text = TextHead(report, {});
  RowsText rows({});
  for (const ResultRow& row : report.results) text += rows.Add(row);
  text += rows.Finish() + TextRest(report, {}, {});
  EXPECT_EQ(text, ToText(report, {}, {}));
}

TEST(TextWriterTest, RareFailuresAreNotShownAsNever) {
  Counterexample example = ForeignRelease();
  example.violating_runs = 1;
  example.total_runs = 1'000'000;
  EXPECT_TRUE(Contains(ToText(example, {}), "in 1 of 1 000 000 runs (< 0.1 %)"));
}

TEST(TimeTableTest, ManyColumnsBecomeAList) {
  Counterexample example = ForeignRelease();
  example.columns.clear();
  for (int i = 1; i <= 8; ++i)
    example.columns.push_back("C" + std::to_string(i) + " job_lock.cc:8");
  for (std::size_t i = 0; i < example.rows.size(); ++i) example.rows[i].column = i % 8;
  const std::vector<std::string> lines = TimeTable(example, {});
  EXPECT_TRUE(Contains(lines[0], "who"));
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 100U) << line;
}

TEST(TimeTableTest, LongCellsAreWrapped) {
  Counterexample example = ForeignRelease();
  for (TableRow& row : example.rows) row.text += " and a long explanation of what was done there";
  const std::vector<std::string> lines = TimeTable(example, {});
  EXPECT_GT(lines.size(), example.rows.size() + 2);
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 100U) << line;
}

TEST(TimeTableTest, LongTablesKeepTheBeginningAndTheViolation) {
  Counterexample example = ForeignRelease();
  const TableRow filler{900'000, 0, "PING", RowKind::kEvent, SpanChange::kNone};
  example.rows.insert(example.rows.begin() + 4, 5'000, filler);
  const std::vector<std::string> lines = TimeTable(example, {});
  EXPECT_LT(lines.size(), 130U);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_TRUE(Contains(all, "b3 deleted by C1"));
  EXPECT_TRUE(Contains(all, "4 921 rows left out here"));
}

TEST(TimeTableTest, ExtremeValuesAreDrawn) {
  Counterexample example;
  EXPECT_EQ(2U, TimeTable(example, {}).size());
  example.columns = {"only"};
  example.rows = {{INT64_MIN, 7, "", RowKind::kViolation, SpanChange::kSectionEnd},
                  {INT64_MAX, 0, "x", RowKind::kEvent, SpanChange::kPauseEnd}};
  const std::vector<std::string> lines = TimeTable(example, {});
  ASSERT_EQ(4U, lines.size());
  EXPECT_TRUE(Contains(lines[2], "-9223372036854.775808"));
  EXPECT_TRUE(Contains(lines[3], "9223372036854.775807"));
}

TEST(TextLayoutTest, WidthsCountColumns) {
  EXPECT_EQ(3U, DisplayWidth("a…b"));
  EXPECT_EQ(4U, DisplayWidth("漢字"));
  EXPECT_EQ(1U, DisplayWidth("e\u0301"));
  EXPECT_EQ("漢…", Clip("漢字", 3, true));
  EXPECT_EQ("abc...", Clip("abcdefghij", 6, false));
  EXPECT_EQ("ab", Clip("abcdef", 2, false));
  EXPECT_EQ((std::vector<std::string>{"one two", "three"}), Wrap("one two three", 8));
  EXPECT_EQ((std::vector<std::string>{"abcd", "efgh", "i"}), Wrap("abcdefghi", 4));
  EXPECT_EQ((std::vector<std::string>{""}), Wrap("", 4));
  EXPECT_EQ("412 000", GroupDigits(412'000));
  EXPECT_EQ("18 446 744 073 709 551 615", GroupDigits(UINT64_MAX));
  EXPECT_EQ("58.3 s", ShortSeconds(std::chrono::milliseconds(58'399)));
  EXPECT_EQ("0.005 s", ShortSeconds(std::chrono::milliseconds(5)));
}

}  // namespace
}  // namespace interlock::reports
