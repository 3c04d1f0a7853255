// SPDX-License-Identifier: MIT
//
// A measurement of contention as it is stored, shown and judged.
#include "reports/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "pipe.h"
#include "report_samples.h"
#include "reports/contention_advice.h"
#include "reports/contention_figures.h"
#include "reports/contention_gates.h"
#include "reports/contention_json.h"
#include "reports/contention_text.h"
#include "reports/formats.h"
#include "reports/github_writer.h"
#include "reports/hgrm_writer.h"
#include "reports/html_contention.h"
#include "reports/markdown_writer.h"

namespace interlock::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ContentionPoint PointOf(const std::string& lock, int clients, std::uint64_t grants) {
  ContentionPoint point;
  point.lock = lock;
  point.clients = clients;
  point.window_ns = 1'000'000'000;
  point.requests = point.grants = grants;
  for (std::uint64_t i = 0; i < grants; ++i) point.wait.Add(static_cast<std::int64_t>(i) * 10'000);
  point.commands.acquiring = 2 * grants;
  point.commands.releasing = grants;
  point.shares.resize(static_cast<std::size_t>(clients));
  point.shares[0].grants = grants;
  point.server.emplace();
  point.server->hand_over.Add(500);
  point.server->renewal_margin_ns = 42;
  point.owners = {{0, 0, 5, 900}, {clients - 1, 0, 900, 1'000'000}};
  point.faults = {{7, 99, "pause of C1"}};
  point.trace_hash = 0xffffffffffffffffULL;
  return point;
}

ContentionReport ReportOf(const std::string& lock) {
  ContentionReport report;
  report.tool = {"1.2.3", "abc", "GNU 12"};
  report.seed = 7;
  report.load.duration_ns = 1'000'000'000;
  report.points = {PointOf(lock, 1, 100), PointOf(lock, 8, 3'000)};
  report.gates = {{"mutex at 8 clients: wait_p99_ns <= 5", false, true, "29700000", "wait less"}};
  report.notes = {"a note"};
  report.wall_time = std::chrono::milliseconds(1234);
  return report;
}

TEST(ContentionJsonTest, WhatIsWrittenIsReadBackTheSame) {
  const std::string json = ToJson(ReportOf("mutex"));
  EXPECT_TRUE(IsContention(json));
  const auto read = ReadContention(json);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(ToJson(*read.value), json);
  EXPECT_EQ(read.value->points[1].wait, ReportOf("mutex").points[1].wait);
  EXPECT_EQ(read.value->points[0].server, ReportOf("mutex").points[0].server);
  EXPECT_EQ(read.value->wall_time.count(), 1234);
}

TEST(ContentionJsonTest, WhatIsWrongIsNamedWithItsPlace) {
  const std::string good = ToJson(ReportOf("mutex"));
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return ReadContention(text).error;
  };
  EXPECT_EQ(with("\"grants\": 100", "\"grants\": -1"),
            "points[0].grants: expected a whole number, 0 or more");
  EXPECT_EQ(with("\"lock\": \"mutex\"", "\"lock\": 5"), "points[0].lock: expected a string");
  EXPECT_EQ(with("\"clients\": 1,", "\"clients\": 2,"),
            "points[0].shares: expected one for each client");
  EXPECT_EQ(with("\"seed\": 7,", ""), "seed: is missing");
  EXPECT_EQ(with("interlock.run/1", "interlock.run/2"),
            "schema: expected interlock.run/1, found interlock.run/2");
  EXPECT_THAT(with("\"least_ns\": 0", "\"least_ns\": 1"), HasSubstr("do not fit"));
  EXPECT_THAT(ReadContention("{").error, HasSubstr("parse error"));
  EXPECT_EQ(ReadContention("[]").error, "expected an object");
  EXPECT_NE(ReadContention(std::string(5'000, '[')).error, "");
}

TEST(ContentionTextTest, AThresholdThatIsCrossedIsExitCodeThree) {
  ContentionReport report = ReportOf("mutex");
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kThreshold);
  EXPECT_EQ(Headline(report), "FAIL");
  report.gates[0].measured = false;
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kInconclusive);
  report.gates[0] = {"x", true, true, "1"};
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kPass);
  EXPECT_EQ(Headline(report), "PASS");
  report.gates.clear();
  EXPECT_EQ(Headline(report), "MEASURED");
}

TEST(ContentionTextTest, EveryFigureHasAValueOrSaysThatThereIsNone) {
  const ContentionPoint full = PointOf("mutex", 8, 3'000);
  const ContentionPoint empty = PointOf("mutex", 8, 0);
  for (const Figure& figure : Figures()) {
    EXPECT_EQ(FindFigure(figure.name), &figure);
    for (const ContentionPoint& point : {full, empty}) {
      const auto value = figure.of(point);
      EXPECT_TRUE(!value || std::isfinite(*value)) << figure.name;
      EXPECT_NE(FigureText(figure, value), "");
    }
  }
  EXPECT_EQ(FindFigure("wait_p98_ns"), nullptr);
  EXPECT_EQ(FindFigure("wait_p99_ns")->of(empty), std::nullopt);
  EXPECT_EQ(FindFigure("commands_per_grant")->of(full), 3.0);
}

TEST(ContentionTextTest, JUnitIsValidByItsSchemaWithAndWithoutThresholds) {
  ContentionReport report = ReportOf("mutex");
  EXPECT_EQ(XmllintComplaint(ToJUnit(report)), "");
  report.gates.push_back({"b", false, false, "nothing like it was measured"});
  report.gates.push_back({"c", true, true, "5"});
  EXPECT_EQ(XmllintComplaint(ToJUnit(report)), "");
  report.gates.clear();
  EXPECT_EQ(XmllintComplaint(ToJUnit(report)), "");
}

TEST(ContentionGitHubTest, ACrossedThresholdIsAnErrorAndAnEmptyOneAWarning) {
  ContentionReport report = ReportOf("mutex");
  report.gates.insert(report.gates.begin(),
                      {"50 % of it", false, false, "nothing\nwas: measured,"});
  report.gates.push_back({"fine", true, true, "1"});
  EXPECT_EQ(ToGitHubAnnotations(report),
            "::error title=Contention%3A a threshold is crossed::mutex at 8 clients: wait_p99_ns "
            "<= 5: found 29700000%0Await less\n"
            "::warning title=Contention%3A a threshold says nothing::50 %25 of it: "
            "nothing\\nwas: measured,\n");
  report.gates.assign(25, {"a <= 1", false, true, "2"});
  const std::string many = ToGitHubAnnotations(report);
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 10);
  EXPECT_THAT(many, HasSubstr("::error title=Interlock::and 16 more\n"));
  report.gates.clear();
  EXPECT_EQ(ToGitHubAnnotations(report), "");
  report.status = RunStatus::kPartial;
  EXPECT_THAT(ToGitHubAnnotations(report), HasSubstr("INCONCLUSIVE::the measurement was inter"));
}

TEST(ContentionTextTest, AMarkedUpNameIsInertEverywhere) {
  ContentionReport report = ReportOf("<b>|`x`\n::error::y\x1b[31m");
  const std::string name = report.points[0].lock;
  report.gates = {{name, false, true, name, name}, {name, false, false, name, name}};
  report.notes = {name};
  report.backend = report.load.spread = report.load.faults = name;
  EXPECT_THAT(ToText(report, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ToText(report, {}), Not(HasSubstr("\n::error")));
  EXPECT_THAT(ToMarkdown(report), Not(HasSubstr("<b>")));
  EXPECT_THAT(ToJUnit(report), Not(HasSubstr("<b>")));
  EXPECT_EQ(XmllintComplaint(ToJUnit(report)), "");
  const std::string annotations = ToGitHubAnnotations(report);
  EXPECT_EQ(std::count(annotations.begin(), annotations.end(), '\n'), 2);
  EXPECT_THAT(annotations, Not(HasSubstr("\n::error::")));
  EXPECT_THAT(annotations, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ToHtml(report), Not(HasSubstr("<b>")));
  EXPECT_THAT(ToHtml({{name, &report}, {name, &report}}), Not(HasSubstr("<b>")));
  const std::string html = Pipe(INTERLOCK_CMARK_GFM " -e table --unsafe", ToMarkdown(report));
  EXPECT_THAT(html, Not(HasSubstr("<code>x")));
  const std::string lines = Pipe(
      "python3 -c \"import csv, sys, io\n"
      "rows = list(csv.reader(io.StringIO(sys.stdin.read())))\n"
      "print(len(rows), set(map(len, rows)))\"",
      ToCsv(report));
  EXPECT_EQ(lines, std::to_string(1 + 2 * Figures().size()) + " {5}\n");
}

// Those of a megabyte neither fail nor make the formats for people long.
TEST(ContentionTextTest, AHugeNameIsCutWhereFormatsAreForReading) {
  for (const std::string& unit : {std::string("n"), std::string("é"), std::string("\xff")}) {
    std::string huge;
    while (huge.size() < 1'000'000) huge += unit;
    ContentionReport report = ReportOf(huge);
    report.gates.assign(3, {huge, false, true, huge, huge});
    report.notes = {huge};
    report.points[0].faults[0].what = huge;
    EXPECT_LT(ToText(report, {}).size(), 20'000U);
    EXPECT_LT(ToMarkdown(report).size(), 20'000U);
    EXPECT_LT(ToHtml(report).size(), 100'000U);
    EXPECT_LT(ToGitHubAnnotations(report).size(), 10'000U);
    const std::string xml = ToJUnit(report);
    EXPECT_LT(xml.size(), 20'000U);
    EXPECT_EQ(XmllintComplaint(xml), "");
    EXPECT_TRUE(ReadContention(ToJson(report)).value.has_value());
  }
}

TEST(ContentionTextTest, ASummaryThatGitHubWouldDropIsCutBehindItsGates) {
  ContentionReport report = ReportOf("mutex");
  report.points.assign(8'000, PointOf("mutex", 8, 20));
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    report.points[i].lock = "lock " + std::to_string(i);
  }
  const std::string summary = ToMarkdown(report);
  EXPECT_LE(summary.size(), kStepSummaryBytes);
  EXPECT_GT(summary.size(), kStepSummaryBytes - 1'000) << "no more is cut than has to be";
  EXPECT_THAT(summary, HasSubstr("wait less"));
  EXPECT_TRUE(summary.ends_with("*Cut here: the whole report is in run.json.*\n"));
}

TEST(ContentionTextTest, LocksWhoseNamesGiveOneFileNameKeepAFileEach) {
  StoredRun run;
  run.contention = ReportOf("a/b");
  run.contention->points.push_back(run.contention->points[0]);
  run.contention->points.back().lock = "a_b";
  std::set<std::string> names;
  for (const Rendered& file : Render(*FindFormat("hgrm"), run)) names.insert(file.file_name);
  EXPECT_THAT(names, ElementsAre("waits/a_b.1-2.hgrm", "waits/a_b.1.hgrm", "waits/a_b.8.hgrm"));
}

TEST(ContentionAdviceTest, WhatTheOtherFiguresSpeakForIsSaidAndNothingElse) {
  const auto on = [](const char* figure, const ContentionPoint& point) {
    return AdviceOn(*FindFigure(figure), point);
  };
  ContentionPoint point = PointOf("mutex", 8, 100);
  EXPECT_EQ(on("wait_p99_ns", point), "");
  EXPECT_EQ(on("commands_per_grant", point), "");
  EXPECT_THAT(on("lost_noticed", point), HasSubstr("lengthen the lease"));
  ContentionPoint busy = point;
  for (int i = 0; i < 80; ++i) busy.useful.Add(10'000'000);
  EXPECT_THAT(on("wait_p50_ns", busy), HasSubstr("in a section 80 % of the time"));
  busy.fairness.bypasses = 500;
  EXPECT_THAT(on("wait_p99_ns", busy), HasSubstr("passed by later ones 500 times in 100 grants"));
  EXPECT_THAT(on("jain_grants", busy), HasSubstr("in order"));
  EXPECT_THAT(on("grants_per_s", busy), HasSubstr("in a section"));
  ContentionPoint slow = point;
  for (int i = 0; i < 80; ++i) {
    slow.hold.Add(1'000'000);
    slow.turn.Add(2'000'000);
  }
  EXPECT_THAT(on("wait_p50_ns", slow), HasSubstr("takes 2 ms, a hold 1 ms"));
  slow.woken = 800;
  slow.woken_in_vain = 700;
  EXPECT_THAT(on("bytes_per_grant", slow), HasSubstr("10 clients are woken for each turn"));
  ContentionPoint polls = point;
  polls.commands.acquiring = 2'000;
  EXPECT_THAT(on("commands_per_grant", polls), HasSubstr("clients poll"));
}

TEST(ContentionGatesTest, EachPointIsHeldAgainstTheThresholdsThatAreAboutIt) {
  const std::vector<Threshold> thresholds = {
      {"mutex", 8, "wait_max_ns", std::nullopt, 50'000'000},
      {"*", std::nullopt, "commands_per_grant", 3, 3.5},
      {"other", std::nullopt, "grants_per_s", 1, std::nullopt},
      {"*", 1, "wait_p999_ns", std::nullopt, 1}};
  const auto gates = Judge(ReportOf("mutex"), thresholds);
  ASSERT_EQ(gates.size(), 5U);
  EXPECT_EQ(gates[0].name, "mutex at 8 clients: wait_max_ns <= 50000000 (50 ms)");
  EXPECT_TRUE(gates[0].pass);
  EXPECT_EQ(gates[0].what, "29990000 (30 ms)");
  EXPECT_EQ(gates[1].name, "mutex at 1 client: commands_per_grant >= 3 and <= 3.5");
  EXPECT_TRUE(gates[1].pass);
  EXPECT_TRUE(gates[2].pass);
  EXPECT_FALSE(gates[3].measured) << "no such lock";
  EXPECT_FALSE(gates[4].measured) << "100 waits say nothing about one in a thousand";
  for (const GateResult& gate :
       Judge(ReportOf("mutex"), {{"*", std::nullopt, "wait_max_ns", std::nullopt, 1}})) {
    EXPECT_TRUE(gate.measured);
    EXPECT_FALSE(gate.pass);
  }
}

TEST(ContentionCompareTest, TheSameIsIdenticalAndWhatDiffersIsSaidWithItsDirection) {
  const ContentionReport before = ReportOf("mutex");
  EXPECT_THAT(Compare(before, before), ElementsAre("identical to the earlier measurement"));
  ContentionReport now = before;
  now.points[1].commands.acquiring *= 2;
  EXPECT_THAT(Compare(before, now)[1],
              "mutex at 8 clients: commands_per_grant is 5, was 3 (+66.7 %): worse");
  EXPECT_THAT(Compare(now, before)[1],
              "mutex at 8 clients: commands_per_grant is 3, was 5 (-40.0 %): better");
  now.load.hold_ns = 5;
  EXPECT_THAT(Compare(before, now).front(), HasSubstr("another load"));
  now.points.front().lock = "other";
  EXPECT_THAT(Compare(before, now)[1], HasSubstr("1 of 2 points were not"));
}

TEST(ContentionCompareTest, InWallTimeTwoInAHundredAreNoise) {
  ContentionReport before = ReportOf("mutex");
  before.backend = "redis://127.0.0.1:1/0";
  ContentionReport now = before;
  now.points[1].commands.bytes_sent = before.points[1].commands.bytes_sent = 1'000'000;
  now.points[1].commands.bytes_sent += 15'000;
  EXPECT_THAT(Compare(before, now), ElementsAre("no change beyond noise (2 %)"));
  now.points[1].commands.bytes_sent += 15'000;
  EXPECT_THAT(Compare(before, now).front(), HasSubstr("bytes_per_grant"));
}

TEST(ContentionHtmlTest, ThePageIsItsOwnAndForeignTextIsText) {
  ContentionReport report = ReportOf("</style><script>alert(1)</script>");
  report.points[0].faults[0].what = "<img src=x>";
  report.gates[0].name = "<b>gate</b>";
  const std::string page = ToHtml(report);
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
  for (const char* foreign : {"<script>alert", "<img", "<b>", " style=", " onclick="}) {
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  }
  const std::string read = Pipe(
      "python3 -c \"\n"
      "import sys\n"
      "from html.parser import HTMLParser\n"
      "open_tags, worst = [], []\n"
      "class Page(HTMLParser):\n"
      "  def handle_starttag(self, tag, attrs):\n"
      "    if tag not in ('meta', 'wbr'): open_tags.append(tag)\n"
      "  def handle_startendtag(self, tag, attrs): pass\n"
      "  def handle_endtag(self, tag):\n"
      "    if not open_tags or open_tags.pop() != tag: worst.append(tag)\n"
      "Page().feed(open(0, encoding='utf-8').read())\n"
      "print(open_tags, worst)\"",
      page);
  EXPECT_EQ(read, "[] []\n") << "every element that is opened is closed";
}

TEST(ContentionHtmlTest, NothingThatWasMeasuredIsNoDivisionByNothing) {
  ContentionReport report = ReportOf("mutex");
  report.points = {PointOf("mutex", 1, 0)};
  report.points[0].owners.clear();
  const std::string page = ToHtml(report);
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf")));
  report.points.clear();
  EXPECT_THAT(ToHtml(report), HasSubstr("</html>"));
}

TEST(HgrmTest, ThePlotterReadsEveryLineAndTheFooter) {
  Histogram histogram;
  for (std::int64_t i = 1; i <= 10'000; ++i) histogram.Add(i * 100'000);
  const std::string read = Pipe(
      "python3 -c \"\n"
      "import re, sys\n"
      "lines = sys.stdin.read().split('\\n')\n"
      "assert lines[0].split() == ['Value', 'Percentile', 'TotalCount', '1/(1-Percentile)']\n"
      "rows = [list(map(float, l.split())) for l in lines[2:] if l and not l.startswith('#')]\n"
      "assert all(a[0] <= b[0] and a[1] < b[1] and a[2] <= b[2] for a, b in zip(rows, rows[1:]))\n"
      "half = [r for r in rows if r[1] == 0.5][0]\n"
      "foot = [l for l in lines if re.match(r'#\\[\\w+ *= +[0-9.]+, [\\w ]+ = +[0-9.]+\\]$', l)]\n"
      "print(half[0], rows[-1][1], int(rows[-1][2]), len(foot))\"",
      ToHgrm(histogram));
  EXPECT_EQ(read, "500.171 1.0 10000 3\n");
  EXPECT_THAT(ToHgrm({}), HasSubstr("Total count    =            0"));
}

TEST(ScalabilityTest, ALawIsFoundAgainInItsOwnPoints) {
  const double lambda = 1'000;
  const double sigma = 0.1;
  const double kappa = 0.001;
  std::vector<ContentionPoint> points;
  for (const int n : {1, 2, 4, 8, 16, 32, 64}) {
    const double x = lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
    points.push_back(PointOf("m", n, 0));
    points.back().grants = static_cast<std::uint64_t>(std::llround(x));
  }
  std::vector<const ContentionPoint*> pointers;
  for (const ContentionPoint& point : points) pointers.push_back(&point);
  const auto law = Fit(pointers);
  ASSERT_TRUE(law.has_value());
  EXPECT_NEAR(law->lambda, lambda, 5);
  EXPECT_NEAR(law->sigma, sigma, 0.005);
  EXPECT_NEAR(law->kappa, kappa, 0.0001);
  ASSERT_TRUE(law->knee.has_value());
  EXPECT_NEAR(*law->knee, 30, 1);
  pointers.resize(2);
  EXPECT_FALSE(Fit(pointers).has_value()) << "two points decide nothing";
}

}  // namespace
}  // namespace interlock::reports
