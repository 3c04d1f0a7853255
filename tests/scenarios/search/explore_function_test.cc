// SPDX-License-Identifier: MIT
//
// An exploration as others use it: as a function of a test program, and as a command that leaves
// files. A plain lock that deletes whatever it finds must fall, an honest one must not, and what
// nothing has put to the test is neither.
#include <interlock/harness/explore.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/harness/replay.h>

#include "reports/json_writer.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/cli/explore_request.h"
#include "scenarios/locks/specimen.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/plain_subject.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;
using testing::PlainSubject;

/// The third attempt comes when the lease of the first is over.
harness::ExploreOptions WithPause() {
  return {.scenario = "pause", .property = "LK005", .attempts = 3, .pauses = 1};
}

TEST(ExploreFunctionTest, ABlindReleaseFallsAndItsTokenReplays) {
  const auto blind = PlainSubject({.name = "test/blind", .release_blindly = true});
  const harness::ExploreVerdict verdict = harness::Explore(blind, WithPause());
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.text, HasSubstr("within smaller bounds no run fails"));
  EXPECT_TRUE(harness::Replay(blind, verdict.token).Violates("LK005"));
}

TEST(ExploreFunctionTest, AnHonestLockPassesWithItsBounds) {
  const harness::ExploreVerdict verdict = harness::Explore(PlainSubject());
  EXPECT_TRUE(verdict.passed) << verdict.text;
  EXPECT_GT(verdict.states, 10U);
  EXPECT_TRUE(verdict.token.empty());
  EXPECT_THAT(verdict.text, HasSubstr("no violation: <= 2 clients, <= 2 attempts, <= 1 crash"));
}

TEST(ExploreFunctionTest, WhatNoRunPutsToTheTestIsInconclusive) {
  const harness::ExploreVerdict verdict = harness::Explore(
      SoundSubjects().front(), {.scenario = "pause", .property = "LK006", .pauses = 1});
  EXPECT_FALSE(verdict.passed);
  EXPECT_FALSE(verdict.violated);
  EXPECT_THAT(verdict.text, HasSubstr("not put to the test: foreign-extend"));
}

TEST(ExploreFunctionTest, WhatCannotBeExploredIsSaid) {
  const auto text = [](const harness::ExploreOptions& options) {
    return harness::Explore(PlainSubject(), options).text;
  };
  EXPECT_THAT(harness::Explore(nullptr).text, HasSubstr("null"));
  EXPECT_THAT(text({.scenario = "chaoss"}), HasSubstr("chaos"));
  EXPECT_THAT(text({.scenario = "c*"}), HasSubstr("one scenario"));
  EXPECT_THAT(text({.scenario = "permits"}), HasSubstr("does not apply"));
  EXPECT_THAT(harness::Explore(SoundSubjects().front(), {.scenario = "one-object"}).text,
              HasSubstr("the scenario one-object has several clients in one process"));
  EXPECT_THAT(text({.synchrony = "some"}), HasSubstr("no class \"some\""));
  EXPECT_THAT(text({.property = "LK999"}), HasSubstr("unknown property \"LK999\""));
  EXPECT_THAT(text({.scenario = "crash", .property = "LK006"}), HasSubstr("does not judge"));
  EXPECT_THAT(text({.masters = 3}), HasSubstr("chaos has one master"));
  EXPECT_THAT(text({.masters = 2}), HasSubstr("invalid masters 2: expected 3 to 9"));
  EXPECT_THAT(text({.clients = 20}), HasSubstr("invalid clients 20: expected 1 to 8"));
  EXPECT_THAT(text({.writes = "fencd"}),
              HasSubstr("invalid writes \"fencd\"; expected none, unfenced"));
  EXPECT_THAT(text({.scenario = "crash", .pauses = 1}), HasSubstr("has no pauses"));
  EXPECT_THAT(text({.scenario = "crash", .failovers = 1}), HasSubstr("has no failovers"));
  EXPECT_THAT(text({.pauses = 1, .failovers = 1}), HasSubstr("failover has no pauses"));
}

TEST(ExploreFunctionTest, AHolderThatWritesTooLateFallsWhereNothingIsFenced) {
  const auto explore = [](std::string writes) {
    return harness::Explore(SoundSubjects().front(), {.property = "LK004",
                                                      .attempts = 2,
                                                      .waits = true,
                                                      .writes = std::move(writes),
                                                      .crashes = 0,
                                                      .lost_replies = 0,
                                                      .pauses = 1});
  };
  const harness::ExploreVerdict unfenced = explore("unfenced");
  EXPECT_TRUE(unfenced.violated) << unfenced.text;
  const harness::ExploreVerdict fenced = explore("fenced");
  EXPECT_TRUE(fenced.passed) << fenced.text;
}

TEST(ExploreFunctionTest, ALockByQuorumIsExploredOverItsOwnScenarios) {
  const auto redlock = Named("redlock");
  harness::ExploreOptions options{.masters = 3};
  options.budget = std::chrono::milliseconds(1);
  EXPECT_THAT(harness::Explore(redlock, options).text, HasSubstr("redlock in quorum-chaos"));
  EXPECT_THAT(harness::Explore(redlock, options).text, HasSubstr(", 3 masters, "));
}

// What a replica lacks no lock can hold: that is said, and asked for by name it is found all the
// same.
TEST(ExploreFunctionTest, WhereServersFailItIsSaidWhatIsNotDemanded) {
  const auto lock = PlainSubject();
  const harness::ExploreVerdict verdict =
      harness::Explore(lock, {.attempts = 1, .crashes = 1, .failovers = 1});
  EXPECT_TRUE(verdict.passed) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("in failover (none): no violation: "));
  EXPECT_THAT(verdict.text, HasSubstr("<= 1 failover to a replica that may lag "));
  EXPECT_THAT(verdict.text, HasSubstr("not demanded: server-exclusion, "));
  EXPECT_THAT(verdict.text, HasSubstr("no lock on one server can hold what that server forgets"));
  const harness::ExploreVerdict twice =
      harness::Explore(lock, {.property = "LK001", .failovers = 1});
  EXPECT_TRUE(twice.violated) << twice.text;
  EXPECT_THAT(twice.text, HasSubstr("within smaller bounds no run fails"));
  EXPECT_TRUE(harness::Replay(lock, twice.token).Violates("LK001"));
}

// A code may stand for several properties, and a fault is there by itself only where the scenario
// has it.
TEST(ExploreRequestTest, ARequestIsCompletedByItsScenario) {
  const Entry mutex{SoundSubjects().front(), false, {}};
  cli::ExploreRequest request;
  request.scenario = "crash";
  const auto crash = cli::Resolve(request, mutex);
  ASSERT_TRUE(crash.ok()) << crash.status().ToString();
  EXPECT_EQ(crash->bounds.crashes, 1);
  EXPECT_EQ(crash->bounds.lost_replies, 0);
  EXPECT_TRUE(crash->only.empty());

  const auto subjects = SoundSubjects();
  const auto semaphore = std::find_if(subjects.begin(), subjects.end(), [](const auto& subject) {
    return ModelOf(subject->traits().kind).permits;
  });
  ASSERT_NE(semaphore, subjects.end());
  request.property = "lk013";
  const auto permits = cli::Resolve(request, Entry{*semaphore, false, {}});
  ASSERT_TRUE(permits.ok()) << permits.status().ToString();
  EXPECT_EQ(permits->only.size(), 3U);
}

TEST(ExploreCommandTest, FilesAreThoseOfACheck) {
  const testing::ScratchFolder folder;
  const testing::ChildResult child = testing::RunChild(
      {INTERLOCK_PROGRAM, "explore", "--lock", "broken/get-compare-del", "--scenario", "pause",
       "--property", "LK005", "--pauses", "1", "--json", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  const std::string file = testing::ReadFile(folder.path() + "/run.json");
  EXPECT_EQ(file, child.out);
  const auto run = reports::ReadRunReport(file);
  ASSERT_TRUE(run.value.has_value()) << run.error;
  ASSERT_EQ(run.value->results.size(), 1U);
  const reports::ResultRow& row = run.value->results.front();
  EXPECT_EQ(row.verdict, reports::Verdict::kViolated);
  EXPECT_FALSE(row.pass);
  ASSERT_TRUE(row.counterexample.has_value());
  const auto counterexample =
      reports::ReadCounterexample(testing::ReadFile(folder.path() + "/" + *row.counterexample));
  ASSERT_TRUE(counterexample.value.has_value()) << counterexample.error;
  EXPECT_EQ(counterexample.value->code, "LK005");
  EXPECT_THAT(counterexample.value->replay, HasSubstr(row.replay.value_or("no token")));
  EXPECT_THAT(testing::ReadFile(folder.path() + "/junit.xml"), HasSubstr("foreign-release"));
}

}  // namespace
}  // namespace interlock::scenarios
