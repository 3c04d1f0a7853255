// SPDX-License-Identifier: MIT
//
// Simulated runs judged twice: with all that the servers show, and by what clients report alone.
// From outside less can be seen, and nothing of it may be held against a sound lock.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/processes/real_history.h"
#include "scenarios/run/run.h"
#include "sim/universe.h"

namespace interlock::scenarios {
namespace {

constexpr std::string_view kScenarios[] = {"contention", "crash", "pause",   "overstay", "lossy",
                                           "nested",     "chaos", "restart", "permits",  "crowd"};

struct Both {
  RunResult inside;
  std::vector<Violation> outside;
};

bool IsOfClients(const FaultSet& struck) {
  for (const sim::FaultInfo& fault : sim::KnownFaults()) {
    const bool clients_own =
        fault.kind == sim::FaultKind::kCrash || fault.kind == sim::FaultKind::kRestart ||
        fault.kind == sim::FaultKind::kPause || fault.kind == sim::FaultKind::kExpiry;
    if (!clients_own && struck.test(static_cast<std::size_t>(fault.kind))) return false;
  }
  return true;
}

Both JudgeTwice(const harness::Subject& subject, const Scenario& scenario, std::uint64_t seed) {
  const RunCase run_case{&subject, &scenario, scenario.classes.back()};
  Extras extras = ExtrasOf(subject.traits());
  // As in real runs: a log does not say who has which lease.
  extras.operators = false;
  extras.own_leases = false;
  extras.limit_stands.reset();
  const Generator generator(scenario, extras);
  const Workload workload = generator.Draw(seed);
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromSeed(seed);
  Both both{RunOnce(universe, run_case, workload, choices, true), {}};
  // Whoever waits for two resources may wait for either.
  if (subject.traits().several && workload.resources > 1) return both;
  const auto all = LockOptionsFor(scenario, workload, subject.traits());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EventLog log;
    for (const LogEvent& event : both.inside.log) {
      const bool everywhere = event.kind == EventKind::kFault;
      if (everywhere || event.resource == static_cast<int>(i)) log.push_back(event);
    }
    OutsideRules rules = RulesFor(subject, all[i]);
    rules.calm = both.inside.faults == 0;
    rules.servers_answered = IsOfClients(both.inside.struck);
    const History history =
        real::HistoryOf(log, {.end = both.inside.virtual_time,
                              .lease = workload.lease,
                              .permits = workload.permits,
                              .clients = static_cast<int>(workload.clients.size()) +
                                         workload.permits * workload.resources,
                              .prefers_writers = PrefersWriters(subject.traits().kind)});
    const OutsideVerdict verdict = JudgeFromOutside({history, rules, {}});
    both.outside.insert(both.outside.end(), verdict.violations.begin(), verdict.violations.end());
  }
  return both;
}

/// Latches are judged by their own model.
bool IsJudgedTwice(const harness::Subject& subject, const Scenario& scenario) {
  return ModelOf(subject.traits().kind).held && Applies(scenario, subject.traits());
}

TEST(OutsideAgreesTest, NothingIsHeldAgainstASoundLock) {
  std::uint64_t runs = 0;
  for (const std::string_view name : kScenarios) {
    const Scenario* scenario = FindScenario(name);
    ASSERT_NE(scenario, nullptr) << name;
    for (const auto& subject : SoundSubjects()) {
      if (!IsJudgedTwice(*subject, *scenario)) continue;
      for (std::uint64_t seed = 0; seed < 60; ++seed, ++runs) {
        const Both both = JudgeTwice(*subject, *scenario, seed);
        for (const Violation& one : both.outside) {
          if (both.inside.Find(one.property) != nullptr) continue;
          ADD_FAILURE() << subject->name() << " in " << name << ", seed " << seed << ": "
                        << Code(one.property) << " " << one.what;
        }
      }
    }
  }
  EXPECT_GT(runs, 2'000U);
}

TEST(OutsideAgreesTest, BrokenLocksAreConvictedFromOutsideToo) {
  const Scenario& scenario = *FindScenario("contention");
  int convicted = 0;
  for (const Specimen& specimen : Specimens()) {
    if (!IsJudgedTwice(*specimen.subject, scenario)) continue;
    bool seen = false;
    for (std::uint64_t seed = 0; seed < 30 && !seen; ++seed) {
      seen = !JudgeTwice(*specimen.subject, scenario, seed).outside.empty();
    }
    convicted += seen ? 1 : 0;
  }
  // Most need faults, or are broken in what only the servers show.
  EXPECT_GE(convicted, 15);
}

}  // namespace
}  // namespace interlock::scenarios
