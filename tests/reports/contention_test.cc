// SPDX-License-Identifier: MIT
//
// A measurement of contention as it is stored, shown and judged.
#include "reports/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pipe.h"
#include "reports/contention_figures.h"
#include "reports/contention_json.h"
#include "reports/contention_text.h"

namespace interlock::reports {
namespace {

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
  report.gates = {{"mutex at 8 clients: wait_p99_ns <= 5", false, true, "29700000"}};
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

TEST(ContentionTextTest, AMarkedUpNameIsInertEverywhere) {
  const ContentionReport report = ReportOf("<b>|`x`\n::error::y\x1b[31m");
  EXPECT_THAT(ToText(report, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ToText(report, {}), Not(HasSubstr("\n::error")));
  EXPECT_THAT(ToMarkdown(report), Not(HasSubstr("<b>")));
  EXPECT_THAT(ToJUnit(report), Not(HasSubstr("<b>")));
  const std::string lines = Pipe(
      "python3 -c \"import csv, sys, io\n"
      "rows = list(csv.reader(io.StringIO(sys.stdin.read())))\n"
      "print(len(rows), set(map(len, rows)))\"",
      ToCsv(report));
  EXPECT_EQ(lines, std::to_string(1 + 2 * Figures().size()) + " {5}\n");
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
