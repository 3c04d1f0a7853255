// SPDX-License-Identifier: MIT
//
// A fault that is aimed at what it strikes is the same fault, and goes on striking that when the
// numbers of steps shift: what was left out before it need not have been there.
#include "scenarios/search/shrink/aim.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/shrink/aimed_source.h"
#include "scenarios/search/shrink/shrink.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<const harness::Subject> Sound(std::string_view name) {
  for (auto subject : SoundSubjects()) {
    if (subject->name() == name) return subject;
  }
  return nullptr;
}

std::vector<AimedFault> ByNumbersOf(const Workload& workload) {
  std::vector<AimedFault> faults;
  for (const sim::Fault& fault : FaultPlanOf(workload)) faults.push_back({fault, std::nullopt});
  return faults;
}

Workload Bare(Workload workload) {
  for (ClientPlan& client : workload.clients) client.faults.clear();
  return workload;
}

std::uint64_t HashWhenAimed(sim::Universe& universe, const RunCase& run_case, const Workload& bare,
                            const sim::Tape& tape, std::vector<AimedFault>& faults) {
  auto aimed = std::make_unique<AimedSource>(std::make_unique<sim::TapeSource>(tape), faults);
  sim::Choices choices = sim::Choices::FromSource(std::move(aimed));
  return RunOnce(universe, run_case, bare, choices).trace_hash;
}

struct LockAndScenario {
  std::string lock;
  std::string scenario;
};

class AimedRunTest : public ::testing::TestWithParam<LockAndScenario> {};

// By their numbers, by their targets, and in a plan: one run.
TEST_P(AimedRunTest, AimedFaultsStrikeAsThoseOfThePlan) {
  const auto subject = Sound(GetParam().lock);
  const Scenario& scenario = *FindScenario(GetParam().scenario);
  const RunCase run_case{subject.get(), &scenario, scenario.classes.back()};
  const Generator generator(scenario, ExtrasOf(subject->traits()));
  sim::Universe universe;
  std::size_t struck = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Workload workload = generator.Draw(seed);
    sim::Choices drawn = ChoicesOfRun(seed);
    const std::uint64_t planned = RunOnce(universe, run_case, workload, drawn).trace_hash;
    const sim::Tape tape = drawn.TakeTape();
    std::vector<AimedFault> faults = ByNumbersOf(workload);
    ASSERT_EQ(HashWhenAimed(universe, run_case, Bare(workload), tape, faults), planned) << seed;
    std::erase_if(faults, [](const AimedFault& one) { return !one.struck; });
    for (AimedFault& one : faults) {
      one.struck = false;
      one.fault.step = 0;
    }
    ASSERT_EQ(HashWhenAimed(universe, run_case, Bare(workload), tape, faults), planned) << seed;
    struck += faults.size();
  }
  EXPECT_GT(struck, 100U);
}

INSTANTIATE_TEST_SUITE_P(Some, AimedRunTest,
                         ::testing::Values(LockAndScenario{"mutex", "chaos"},
                                           LockAndScenario{"mutex.renewed", "chaos"},
                                           LockAndScenario{"single-file", "restart"},
                                           LockAndScenario{"count-down-latch", "chaos"},
                                           LockAndScenario{"multi-mutex", "chaos"},
                                           LockAndScenario{"mutex", "failover"},
                                           LockAndScenario{"redlock", "quorum-chaos"}),
                         [](const auto& parameter) {
                           std::string name = parameter.param.lock + parameter.param.scenario;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

/// C1 holds twice, and is paused past its lease the second time; C2 is granted the lock meanwhile,
/// and loses it to C1's blind release.
struct TwoHolds {
  TwoHolds() {
    workload.lease = milliseconds(1000);
    workload.latency_max = milliseconds(1);
    ClientPlan holder;
    Operation hold;
    hold.hold = milliseconds(100);
    holder.operations = {hold, hold};
    holder.faults.push_back({sim::FaultKind::kPause, 0, milliseconds(1600)});
    ClientPlan waiter;
    Operation wait;
    wait.ask = Ask::kWaitFor;
    wait.think = milliseconds(300);
    wait.wait = milliseconds(4000);
    wait.hold = milliseconds(900);
    waiter.operations.push_back(wait);
    workload.clients = {holder, waiter};
  }

  Workload WithPauseAt(int step) const {
    Workload one = workload;
    one.clients.front().faults.front().step = step;
    return one;
  }

  std::shared_ptr<const harness::Subject> subject =
      testing::PlainSubject({.release_blindly = true});
  RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Universe universe;
  Workload workload;
};

TEST(AimTest, AFaultStrikesWhatItDidWhenAnOperationBeforeItIsLeftOut) {
  TwoHolds two;
  int cases = 0;
  for (int step = 0; step < 60; ++step) {
    Trial trial(two.universe, two.run_case, Judged::kForeignRelease, 1000);
    const AimedOutcome all = trial.FailsAimed(ByNumber(two.WithPauseAt(step)), {});
    if (!all.fails || all.one.targets.front().front()->operation != 1) continue;
    ++cases;
    const Aimed fewer = WithoutOperations(all.one, 0, 1);
    const AimedOutcome aimed = trial.FailsAimed(fewer, {});
    EXPECT_TRUE(aimed.fails) << step;
    EXPECT_FALSE(aimed.as_numbered) << step;
    EXPECT_FALSE(trial.FailsAimed(ByNumber(fewer.workload), {}).fails) << step;
    if (!aimed.fails) continue;
    EXPECT_EQ(aimed.one.targets.front().front()->operation, 0U);
    EXPECT_EQ(aimed.one.targets.front().front()->part, all.one.targets.front().front()->part);
    EXPECT_TRUE(trial.Fails(aimed.one.workload, aimed.tape).has_value()) << "replayed by number";
  }
  EXPECT_GT(cases, 2);
}

TEST(AimTest, AFaultThatStrikesNothingAnyMoreIsLeftOut) {
  TwoHolds two;
  Workload with_two = two.WithPauseAt(0);
  with_two.clients.front().faults.push_back({sim::FaultKind::kPause, 5000, milliseconds(10)});
  for (int step = 0; step < 60; ++step) {
    with_two.clients.front().faults.front().step = step;
    Trial trial(two.universe, two.run_case, Judged::kForeignRelease, 1000);
    const AimedOutcome outcome = trial.FailsAimed(ByNumber(with_two), {});
    if (!outcome.fails) continue;
    EXPECT_EQ(outcome.one.targets.front().size(), 1U);
    EXPECT_EQ(outcome.one.workload.clients.front().faults.size(), 1U);
    return;
  }
  FAIL() << "no pause brings the violation about";
}

// A run is a function of its workload and of what it draws, and this one draws nothing.
TEST(TrialTest, WhatChoicesDoNotDecideRunsOnce) {
  TwoHolds two;
  Workload alone = two.workload;
  alone.clients.resize(1);
  alone.clients.front().faults.clear();
  alone.latency_max = milliseconds(0);
  sim::Tape late;
  late.lanes[static_cast<std::size_t>(sim::Lane::kNetwork)] = {7};
  Trial trial(two.universe, two.run_case, Judged::kForeignRelease, 1000);
  EXPECT_FALSE(trial.FailsAimed(ByNumber(alone), late).fails);
  EXPECT_FALSE(trial.FailsAimed(ByNumber(alone), {}).fails);
  EXPECT_EQ(trial.tries(), 1);
  alone.lease += milliseconds(1);
  EXPECT_FALSE(trial.Fails(alone, late).has_value());
  EXPECT_FALSE(trial.Fails(alone, {}).has_value());
  EXPECT_EQ(trial.tries(), 2);
  const auto drew = [&] {
    auto any = std::make_unique<sim::SeededSource>(3);
    return trial.FailsAimedWith(ByNumber(alone), std::move(any)).drew;
  };
  EXPECT_FALSE(drew());
  alone.latency_max = milliseconds(1);
  EXPECT_TRUE(drew());
}

/// Three clients with three operations and a fault each, aimed at the operation of its client.
Aimed ThreeOfEach() {
  Aimed all;
  for (std::size_t client = 0; client < 3; ++client) {
    ClientPlan plan;
    for (int i = 0; i < 3; ++i) {
      plan.operations.push_back({.hold = milliseconds(static_cast<int>(client) * 10 + i)});
    }
    plan.faults.push_back({sim::FaultKind::kCrash, static_cast<int>(client), {}});
    all.workload.clients.push_back(plan);
    all.targets.push_back({Target{client, OperationPart::kAsk, sim::StepKind::kReply, 0}});
  }
  return all;
}

TEST(AimTest, TargetsFollowTheirOperations) {
  const Aimed all = ThreeOfEach();
  const Aimed fewer = WithoutOperations(all, 4, 1);  // C2's second, which its fault strikes
  EXPECT_EQ(fewer.targets[0], all.targets[0]);
  EXPECT_FALSE(fewer.targets[1].front().has_value());
  EXPECT_EQ(fewer.targets[2], all.targets[2]);
  EXPECT_EQ(WithoutOperations(all, 6, 2).targets[2].front()->operation, 0U);
  EXPECT_EQ(WithoutOperations(all, 8, 1).targets[2].front(), std::nullopt);
  EXPECT_EQ(WithoutOperations(all, 0, 9).workload.clients.size(), 3U);
  for (const Aimed& one : ThinkingInstead(all, {2, 0})) {
    EXPECT_EQ(one.targets[2].front()->operation, 1U);
    EXPECT_EQ(one.targets[1], all.targets[1]);
  }
}

TEST(AimTest, APauseBeforeAnAnswerMayBeTimeToThink) {
  Aimed all = ThreeOfEach();
  all.workload.lease = milliseconds(1000);
  EXPECT_TRUE(ThinkingInsteadOf(all, 1).empty()) << "a crash is none";
  all.workload.clients[1].faults[0] = {sim::FaultKind::kPause, 1, milliseconds(70)};
  const std::vector<Aimed> instead = ThinkingInsteadOf(all, 1);
  ASSERT_EQ(instead.size(), 1U);
  EXPECT_EQ(instead[0].workload.clients[1].operations[1].think, milliseconds(70));
  EXPECT_TRUE(instead[0].workload.clients[1].faults.empty());
  EXPECT_EQ(instead[0].targets, Targets({all.targets[0], {}, all.targets[2]}));
  all.targets[1].front()->part = OperationPart::kSection;
  EXPECT_TRUE(ThinkingInsteadOf(all, 1).empty()) << "it is in the section";
  all.targets[1].front().reset();
  EXPECT_TRUE(ThinkingInsteadOf(all, 1).empty()) << "it is not known where";
}

TEST(AimTest, TwoPausesOfOneClientMayBeOneThatIsLonger) {
  Aimed all = ThreeOfEach();
  all.workload.lease = milliseconds(1000);
  all.workload.clients[1].faults = {{sim::FaultKind::kPause, 1, milliseconds(70)},
                                    {sim::FaultKind::kCrash, 2, {}},
                                    {sim::FaultKind::kExpiry, 5, milliseconds(30)}};
  all.targets[1].resize(3);
  const std::vector<Aimed> instead = OneLongPauseInsteadOf(all, 1);
  ASSERT_EQ(instead.size(), 1U);
  const std::vector<PlannedFault> left = {{sim::FaultKind::kCrash, 2, {}},
                                          {sim::FaultKind::kPause, 5, milliseconds(2000)}};
  EXPECT_EQ(instead[0].workload.clients[1].faults, left);
  EXPECT_EQ(instead[0].targets,
            Targets({all.targets[0], {std::nullopt, std::nullopt}, all.targets[2]}));
  EXPECT_TRUE(OneLongPauseInsteadOf(all, 0).empty()) << "it has no other";
  EXPECT_TRUE(OneLongPauseInsteadOf(all, 2).empty()) << "a crash is none";
}

TEST(AimTest, TargetsFollowTheirClients) {
  const Aimed all = ThreeOfEach();
  const Aimed fewer = WithoutClient(all, 1);
  ASSERT_EQ(fewer.targets.size(), 2U);
  EXPECT_EQ(fewer.targets[0], all.targets[0]);
  EXPECT_EQ(fewer.targets[1], all.targets[2]);
  EXPECT_EQ(WithoutFaults(all, 0, 2).targets, Targets({{}, {}, all.targets[2]}));
  EXPECT_EQ(WithoutFaults(all, 2, 5).targets, Targets({all.targets[0], all.targets[1], {}}));
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t into = 0; into < 3; ++into) {
      if (from == into) continue;
      const Aimed joined = Joined(all, from, into);
      const std::vector<Place> places = FaultPlaces(joined.workload);
      ASSERT_EQ(places.size(), 3U);
      for (const Place place : places) {
        const ClientPlan& client = joined.workload.clients[place.client];
        // Its own client's operation of its own number, wherever that stands now.
        const int own = client.faults[place.index].step;
        const std::size_t operation = joined.targets[place.client].at(place.index)->operation;
        EXPECT_EQ(client.operations[operation].hold, milliseconds(own * 11));
      }
    }
  }
}

}  // namespace
}  // namespace interlock::scenarios
