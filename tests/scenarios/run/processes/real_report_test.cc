// SPDX-License-Identifier: MIT
#include "scenarios/search/real/real_report.h"

#include <gtest/gtest.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimen.h"

namespace interlock::scenarios::real {
namespace {

Entry Mutex() {
  Entry entry;
  entry.subject = SoundSubjects().front();
  return entry;
}

/// A run of a sound lock that put all to the test but what is named.
RealUnit AfterARun(const Entry& entry, const char* scenario, Judged not_tested) {
  RealUnit unit;
  unit.entry = &entry;
  unit.scenario = FindScenario(scenario);
  unit.own = true;
  OutsideVerdict verdict;
  for (const Judged property : kAllJudged) verdict.exercised[property] = property != not_tested;
  AddRealRun(RealRun(), verdict, unit);
  return unit;
}

TEST(RealReportTest, APromiseThatNoRunPutToTheTestAsksForMoreRuns) {
  const Entry mutex = Mutex();
  RealUnit unit = AfterARun(mutex, "contention", Judged::kTermination);
  EXPECT_FALSE(IsPutToTheTest(unit));
  reports::RunReport report;
  AddRows(unit, report);
  int inconclusive = 0;
  for (const reports::ResultRow& row : report.results) {
    if (row.verdict != reports::Verdict::kInconclusive) continue;
    ++inconclusive;
    EXPECT_EQ(row.property, "termination");
    EXPECT_EQ(row.reason, "no run put it to the test");
  }
  EXPECT_EQ(inconclusive, 1);

  OutsideVerdict late;
  late.exercised[Judged::kTermination] = true;
  AddRealRun(RealRun(), late, unit);
  EXPECT_TRUE(IsPutToTheTest(unit));
}

TEST(RealReportTest, WhatIsNotPromisedNeedNotBePutToTheTest) {
  const Entry mutex = Mutex();
  EXPECT_TRUE(IsPutToTheTest(AfterARun(mutex, "failover", Judged::kServerExclusion)));
  EXPECT_FALSE(IsPutToTheTest(AfterARun(mutex, "contention", Judged::kServerExclusion)));
}

TEST(RealReportTest, ABrokenRunPutsNothingToTheTest) {
  const Entry mutex = Mutex();
  RealUnit unit = AfterARun(mutex, "contention", Judged::kTermination);
  RealRun broken;
  broken.broken = "the server did not start";
  OutsideVerdict verdict;
  verdict.exercised[Judged::kTermination] = true;
  AddRealRun(broken, verdict, unit);
  EXPECT_FALSE(IsPutToTheTest(unit));
}

}  // namespace
}  // namespace interlock::scenarios::real
