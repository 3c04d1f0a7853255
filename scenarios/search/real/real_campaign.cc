// SPDX-License-Identifier: MIT
#include "scenarios/search/real/real_campaign.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/outside.h"
#include "scenarios/log/story.h"
#include "scenarios/run/processes/expectations.h"
#include "scenarios/run/processes/real_plan.h"
#include "scenarios/run/processes/real_run.h"
#include "scenarios/search/real/real_report.h"
#include "sim/choices.h"
#include "sim/machine/admin.h"
#include "sim/machine/key_sweeper.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

/// The most rounds of a sound lock's workloads that a specimen gets if it can be convicted.
constexpr std::uint64_t kRoundsOfSpecimen = 8;
/// The most rounds of its workloads that a sound lock gets while a promise has not been exercised:
/// whether a waiter comes too late, for example, is up to the machine.
constexpr std::uint64_t kRoundsOfSound = 4;

bool HasCrashes(const Scenario& scenario) { return HasAny(scenario, {sim::FaultKind::kCrash}); }

/// A specimen is tried only where it is to be convicted.
bool IsTriedIn(const Entry& entry, const Scenario& scenario) {
  if (!entry.specimen) return true;
  return std::ranges::any_of(entry.expected, [&](const Conviction& conviction) {
    return conviction.scenario == scenario.name;
  });
}

class Campaign {
 public:
  Campaign(ThreadRuntime& runtime, const RealCheckOptions& options, const CampaignShare& share)
      : runtime_(runtime),
        options_(options),
        share_(share),
        sweeper_(runtime, share.redis, share.prefix),
        started_(runtime.Now()) {
    std::size_t number = 0;
    for (const Entry& entry : options.entries) {
      if (entry.subject->traits().posix) continue;  // no real server is called "redis"
      for (const Scenario* scenario : options.scenarios) {
        if (!Applies(*scenario, entry.subject->traits()) || !IsTriedIn(entry, *scenario)) continue;
        if (number++ % share.total != share.index) continue;
        RealUnit& unit = units_.emplace_back();
        unit.entry = &entry;
        unit.scenario = scenario;
        unit.own = share.own;
      }
    }
  }

  Result<reports::RunReport> Run() {
    std::uint64_t before = 0;
    do {
      before = runs_begun_;
      for (RealUnit& unit : units_) {
        if (Status s = RunUnit(unit); !s.ok()) return s;
      }
      ++rounds_;
      // If every unit left is stuck or convicted, another round tells nothing new.
    } while (options_.budget && !Over() && runs_begun_ > before);
    for (const RealUnit& unit : units_) AddRows(unit, report_);
    return Finish();
  }

 private:
  bool Stopped() const { return options_.stop != nullptr && *options_.stop; }

  /// Whether the campaign is stopped or its time is over. Time does not end the first round, which
  /// puts everything to the test.
  bool Over() const {
    const bool late = options_.budget && runtime_.Now() - started_ >= *options_.budget;
    return Stopped() || (rounds_ > 0 && late);
  }

  std::uint64_t RoundsOf(const RealUnit& unit) const {
    if (unit.entry->specimen) return CanBeConvicted(unit) ? kRoundsOfSpecimen : 1;
    return kRoundsOfSound;
  }

  bool IsDone(const RealUnit& unit) const {
    // Another run of a stuck lock would only wait for its whole deadline again.
    const bool stuck =
        !unit.entry->specimen && (unit.first_violation[Judged::kDeadlock].has_value() ||
                                  unit.first_violation[Judged::kCrashRecovery].has_value());
    return Over() || stuck || IsConvicted(unit);
  }

  Status RunUnit(RealUnit& unit) {
    if (!WhyNotHere(*unit.scenario, share_.own).empty()) return Status();
    const std::uint64_t rounds = RoundsOf(unit);
    for (std::uint64_t i = 0; i < rounds && !IsDone(unit); ++i) {
      if (i > 0 && !unit.entry->specimen && IsPutToTheTest(unit)) break;
      if (Status s = RunPlans(options_.seed + rounds_ * rounds + i, unit); !s.ok()) return s;
    }
    return Status();
  }

  Status RunPlans(std::uint64_t seed, RealUnit& unit) {
    const bool readers = ModelOf(unit.entry->subject->traits().kind).shares;
    std::uint64_t number = 0;
    for (const RealPlan& plan : PlansFor(*unit.scenario, SeedsOf(*unit.scenario, seed), readers)) {
      if (IsDone(unit)) break;
      if (Status s = RunOne(plan, sim::MixSeed(seed, number++), unit); !s.ok()) return s;
    }
    return Status();
  }

  /// Each run has its own keys, so that none sees what another has left.
  RealCase CaseOf(const RealPlan& plan, std::uint64_t seed, const RealUnit& unit) {
    const Scenario& scenario = *unit.scenario;
    RealCase one;
    one.subject = unit.entry->subject.get();
    one.options = LockOptionsFor(scenario, plan.workload, one.subject->traits()).front();
    one.key_prefix = fmt::format("{}{}:", share_.prefix, ++runs_begun_);
    one.options.key_prefix = one.key_prefix + scenario.key_prefix;
    one.redis = share_.redis;
    one.redis.database = share_.own
                             ? scenario.database
                             : sim::machine::DatabaseFor(runtime_, share_.redis, scenario.database);
    one.workload = plan.workload;
    one.stop = options_.stop;
    one.own = share_.own;
    // Half of the failovers are left to the Sentinels, which take their time.
    one.sentinels = HasAny(scenario, {sim::FaultKind::kFailover}) && seed % 2 == 0;
    one.forgetful = scenario.gives_up.writes;
    if (share_.own) one.faults = RealFaultsOf(one.workload, seed, one.sentinels);
    if (!share_.own) UseDatabase(one.redis.database, scenario);
    return one;
  }

  void UseDatabase(int database, const Scenario& scenario) {
    sweeper_.Use(database);
    std::string note = fmt::format("{} runs in database {}", scenario.name, database);
    auto& notes = report_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }

  Status RunOne(const RealPlan& plan, std::uint64_t seed, RealUnit& unit) {
    const RealCase one = CaseOf(plan, seed, unit);
    const Result<RealRun> run = RunOnRedis(runtime_, one);
    if (!run.ok()) return run.status();
    if (run->stopped) return Status();
    const OutsideRules rules = RulesOf(one, *run);
    const OutsideVerdict verdict = JudgeFromOutside({run->history, rules, run->keys});
    AddRealRun(*run, verdict, unit);
    if (run->broken.empty() && !unit.entry->specimen) Count(verdict.goals, goals_);
    ++report_.totals.runs;
    report_.totals.runs_with_faults += run->crashes > 0 || !run->struck.empty() ? 1 : 0;
    report_.totals.commands += run->commands;
    for (const std::string_view name : run->struck) ++struck_[name];
    if (run->crashes > 0) struck_["crash"] += static_cast<std::uint64_t>(run->crashes);
    if (unit.scenario->tells_story && unit.runs == 1) {
      report_.notes.push_back(StoryOf(*unit.scenario, *one.subject, run->history));
    }
    return Status();
  }

  static OutsideRules RulesOf(const RealCase& one, const RealRun& run) {
    OutsideRules rules = RulesFor(*one.subject, one.options);
    rules.disturbed = run.disturbed;
    rules.forgetful = one.forgetful;
    rules.servers_answered = run.servers_answered;
    rules.calm = run.struck.empty() && run.crashes == 0;
    return rules;
  }

  reports::RunReport Finish() {
    const auto some = [&](auto&& is) {
      return std::ranges::any_of(units_, [&](const RealUnit& unit) {
        return unit.runs > 0 && !unit.entry->specimen &&
               ModelOf(unit.entry->subject->traits().kind).held && is(*unit.scenario);
      });
    };
    AddGoals(goals_, {some([](const Scenario&) { return true; }), some(HasCrashes)}, report_);
    for (const auto& [name, count] : struck_) {
      report_.goals.push_back({fmt::format("fault {}", name), count});
    }
    if (rounds_ > 1) {
      report_.notes.push_back(
          fmt::format("{} rounds, with the seeds from {} on", rounds_, options_.seed));
    }
    if (Stopped()) report_.status = reports::RunStatus::kPartial;
    if (const auto swept = sweeper_.Sweep(); !swept.ok()) {
      report_.notes.push_back(fmt::format("keys under {}* may be left until their TTLs end: {}",
                                          share_.prefix, swept.status().message()));
    }
    report_.totals.wall_time = std::chrono::duration_cast<milliseconds>(runtime_.Now() - started_);
    return std::move(report_);
  }

  ThreadRuntime& runtime_;
  const RealCheckOptions& options_;
  const CampaignShare& share_;
  sim::machine::KeySweeper sweeper_;  // for somebody else's server
  const MonotonicTime started_;
  std::vector<RealUnit> units_;
  std::uint64_t rounds_ = 0;
  std::uint64_t runs_begun_ = 0;
  reports::RunReport report_;
  GoalCounts goals_{};
  std::map<std::string_view, std::uint64_t> struck_;  // by the faults' names
};

}  // namespace

SeedOfRun SeedsOf(const Scenario& scenario, std::uint64_t seed) {
  return [&scenario, seed](std::uint64_t index) {
    return RunSeed(seed, scenario, RealClass(scenario), index);
  };
}

Result<reports::RunReport> RunShare(ThreadRuntime& runtime, const RealCheckOptions& options,
                                    const CampaignShare& share) {
  return Campaign(runtime, options, share).Run();
}

}  // namespace interlock::scenarios::real
