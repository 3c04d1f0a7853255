// SPDX-License-Identifier: MIT
//
// A campaign that is stopped, before or while it shrinks, ends soon and with true replay tokens.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/harness/check.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/shrink/shrink.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlainSubject;

/// A lock whose violations are found in many runs, and which sets `stop` when it is built for the
/// `limit`th time.
struct Stopped {
  std::atomic<int> built{0};
  std::atomic<bool> stop{false};
  CampaignOptions options;  // what is found points into it

  CampaignResult Run(int limit) {
    options.runs = 1000;
    options.jobs = 2;
    options.entries = {{PlainSubject({.release_blindly = true,
                                      .on_new_lock =
                                          [this, limit](const harness::LockOptions&) {
                                            if (++built >= limit) stop = true;
                                          }}),
                        false,
                        {}}};
    options.scenarios = {FindScenario("overstay")};
    options.stop = &stop;
    return RunCampaign(options);
  }
};

void ExpectReplayable(const CampaignResult& result) {
  EXPECT_EQ(result.report.status, reports::RunStatus::kPartial);
  ASSERT_FALSE(result.found.empty());
  for (const Found& found : result.found) {
    const auto token = DecodeReplayToken(found.token);
    ASSERT_TRUE(token.ok()) << token.status().ToString();
    const auto& packed = std::get<PackedRun>(token->run);
    const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                           found.unit.synchrony};
    sim::Universe universe;
    sim::Choices choices = sim::Choices::FromTape(packed.tape);
    const RunResult run = RunOnce(universe, run_case, packed.workload, choices);
    EXPECT_NE(run.Find(found.property), nullptr);
    EXPECT_EQ(result.report.results[found.row].replay, found.token);
  }
}

TEST(InterruptionTest, WhatWasFoundBeforeTheStopIsReplayable) {
  Stopped stopped;
  const CampaignResult result = stopped.Run(1500);
  ExpectReplayable(result);
  for (const Found& found : result.found) EXPECT_EQ(found.shrinks, 0);
}

TEST(InterruptionTest, AStopWhileShrinkingEndsItWithAPartialReport) {
  Stopped whole;
  const CampaignResult reference = whole.Run(1'000'000'000);
  ASSERT_EQ(reference.report.status, reports::RunStatus::kComplete);
  const int all = whole.built;
  // The last hundreds of locks are built by the shrinker.
  Stopped stopped;
  ExpectReplayable(stopped.Run(all - 200));
  EXPECT_LT(stopped.built, all);
}

TEST(InterruptionTest, TheShrinkerMakesNoRunOnceStopped) {
  const std::atomic<bool> stop{true};
  const auto subject = PlainSubject({.release_blindly = true});
  const Scenario& scenario = *FindScenario("overstay");
  const RunCase run_case{subject.get(), &scenario, SynchronyClass::kNone};
  sim::Universe universe;
  const sim::Tape tape{{std::vector<std::uint32_t>{1, 2, 3}}};
  const ShrinkResult result = Shrink(universe, run_case, Generator(scenario).Draw(7), tape,
                                     Judged::kServerExclusion, 1000, &stop);
  EXPECT_EQ(result.tries, 0);
  EXPECT_EQ(result.tape, tape);
  EXPECT_EQ(result.workload, Generator(scenario).Draw(7));
}

// The report of the function must not tell of a program that does not know the lock.
TEST(CheckFunctionTest, ReplayLinesNameTheGivenProgramOrNone) {
  harness::CheckOptions options;
  options.runs = 100;
  options.scenario = "overstay";
  const auto subject = PlainSubject({.release_blindly = true});
  const std::string bare = harness::Check(subject, options).text;
  EXPECT_THAT(bare, HasSubstr("   v2:test/plain:overstay:"));
  EXPECT_THAT(bare, Not(HasSubstr("./interlock")));
  EXPECT_THAT(bare, Not(HasSubstr(" replay '")));
  options.program = "build/acme-locks";
  const std::string named = harness::Check(subject, options).text;
  EXPECT_THAT(named, HasSubstr("build/acme-locks replay 'v2:test/plain:overstay:"));
  EXPECT_THAT(named, HasSubstr("build/acme-locks explain LK0"));
  EXPECT_THAT(named, Not(HasSubstr("./interlock")));
}

}  // namespace
}  // namespace interlock::scenarios
