// SPDX-License-Identifier: MIT
#include "scenarios/real/real_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <interlock/thread_runtime.h>

#include "scenarios/real/admin.h"
#include "scenarios/real/disturber.h"
#include "scenarios/real/judge.h"
#include "scenarios/real/key_sweeper.h"
#include "scenarios/real/real_plan.h"
#include "scenarios/real/real_report.h"
#include "scenarios/real/real_run.h"
#include "scenarios/real/redis_server.h"
#include "scenarios/story.h"
#include "sim/choices.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

std::string RandomPrefix(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  std::string prefix = "interlock:check:";
  for (const std::byte byte : bytes) prefix += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return prefix + ":";
}

bool RunsHere(const Scenario& scenario) {
  const auto& classes = scenario.classes;
  return scenario.on_real_redis &&
         std::find(classes.begin(), classes.end(), SynchronyClass::kNone) != classes.end();
}

bool HasCrashes(const Scenario& scenario) {
  const auto& faults = scenario.shape.faults;
  return std::find(faults.begin(), faults.end(), sim::FaultKind::kCrash) != faults.end();
}

class RealCheck {
 public:
  RealCheck(const RealCheckOptions& options, ThreadRuntime& runtime, real::RedisServer* own,
            HiredisOptions redis, std::string prefix)
      : options_(options),
        runtime_(runtime),
        own_(own),
        redis_(std::move(redis)),
        prefix_(std::move(prefix)),
        sweeper_(runtime_, redis_, prefix_),
        started_(runtime.Now()) {}

  Result<reports::RunReport> Run() {
    report_.seed = options_.seed;
    if (auto connector = MakeHiredisConnector(runtime_, redis_); connector.ok()) {
      report_.backend = (*connector)->endpoint();
    }
    NoteWhatIsLeftOut();
    do {
      if (Status s = RunRound(options_.seed + rounds_); !s.ok()) return s;
      ++rounds_;
    } while (!Over() && options_.budget);
    for (const auto& [place, unit] : units_) real::AddRows(unit, report_);
    return Finish();
  }

 private:
  struct Prepared {
    std::size_t number = 0;  ///< among the scenarios
    const Scenario* scenario = nullptr;
    std::vector<real::RealPlan> plans;
    std::vector<real::RealPlan> with_readers;  ///< the same, for locks that have them
    int database = 0;
  };

  /// All locks in all scenarios, with the workloads of one seed.
  Status RunRound(std::uint64_t seed) {
    prepared_.clear();
    for (std::size_t i = 0; i < options_.scenarios.size(); ++i) {
      if (RunsHere(*options_.scenarios[i])) PrepareScenario(i, seed);
    }
    for (std::size_t i = 0; i < options_.entries.size(); ++i) {
      const Entry& entry = options_.entries[i];
      if (entry.specimen) continue;
      for (const Prepared& prepared : prepared_) {
        if (!Applies(*prepared.scenario, entry.subject->traits())) continue;
        real::RealUnit& unit = units_[{i, prepared.number}];
        unit.subject = entry.subject.get();
        unit.scenario = prepared.scenario;
        if (Status s = RunUnit(prepared, unit); !s.ok()) return s;
      }
    }
    return Status();
  }

  /// Stopped, or the time is over; but for the first round, which puts everything to the test.
  bool Over() const {
    const bool late = options_.budget && runtime_.Now() - started_ >= *options_.budget;
    return Stopped() || (rounds_ > 0 && late);
  }

  void NoteWhatIsLeftOut() {
    std::string scenarios;
    for (const Scenario* scenario : options_.scenarios) {
      if (RunsHere(*scenario)) continue;
      scenarios += fmt::format("{}{}", scenarios.empty() ? "" : ", ", scenario->name);
    }
    if (!scenarios.empty()) {
      report_.notes.push_back("scenarios that run in simulation only are left out: " + scenarios);
    }
    const auto specimens = std::count_if(options_.entries.begin(), options_.entries.end(),
                                         [](const Entry& entry) { return entry.specimen; });
    if (specimens > 0) report_.notes.emplace_back("specimens are judged in simulation only");
  }

  void PrepareScenario(std::size_t number, std::uint64_t seed) {
    const Scenario& scenario = *options_.scenarios[number];
    Prepared prepared{number, &scenario, real::PlansFor(scenario, seed, false),
                      real::PlansFor(scenario, seed, true),
                      real::DatabaseFor(runtime_, redis_, scenario.database)};
    if (prepared.plans.empty()) return;
    sweeper_.Use(prepared.database);
    if (rounds_ == 0) NotePlans(prepared);
    prepared_.push_back(std::move(prepared));
  }

  void NotePlans(const Prepared& prepared) {
    const auto by_lease = [](const real::RealPlan& a, const real::RealPlan& b) {
      return a.workload.lease < b.workload.lease;
    };
    const auto [least, most] =
        std::minmax_element(prepared.plans.begin(), prepared.plans.end(), by_lease);
    const auto in_ms = [](const real::RealPlan& plan) {
      return std::chrono::duration_cast<milliseconds>(plan.workload.lease).count();
    };
    const auto& first = prepared.plans.front();
    const std::string leases =
        in_ms(*least) == in_ms(*most)
            ? fmt::format("a lease of {} ms", in_ms(*least))
            : fmt::format("leases of {} to {} ms", in_ms(*least), in_ms(*most));
    report_.notes.push_back(fmt::format(
        "{}: {} workload{} for each lock, in database {}; all times of one scaled together, to {} "
        "(the first from {} ms)",
        prepared.scenario->name, prepared.plans.size(), prepared.plans.size() == 1 ? "" : "s",
        prepared.database, leases, first.original_lease.count()));
  }

  bool Stopped() const { return options_.stop != nullptr && *options_.stop; }

  Status RunUnit(const Prepared& prepared, real::RealUnit& unit) {
    const bool readers = MayShare(unit.subject->traits());
    for (const real::RealPlan& plan : readers ? prepared.with_readers : prepared.plans) {
      // Another run of a lock that is stuck would only wait for its whole deadline again.
      const bool stuck = unit.first_violation[Judged::kDeadlock].has_value() ||
                         unit.first_violation[Judged::kCrashRecovery].has_value();
      if (Over() || stuck) break;
      if (Status s = RunOne(plan, prepared, {}, unit); !s.ok()) return s;
      if (Over() || own_ == nullptr) continue;
      const std::uint64_t seed = sim::MixSeed(options_.seed, runs_begun_);
      const auto disturbances = real::DisturbancesFor(plan.workload, seed);
      if (Status s = RunOne(plan, prepared, disturbances, unit); !s.ok()) return s;
    }
    return Status();
  }

  /// Each run has keys of its own, so that none meets what another has left.
  Status RunOne(const real::RealPlan& plan, const Prepared& prepared,
                const std::vector<real::Disturbance>& disturbances, real::RealUnit& unit) {
    const std::string run_prefix = fmt::format("{}{}:", prefix_, ++runs_begun_);
    real::RealCase real_case;
    real_case.subject = unit.subject;
    real_case.options =
        LockOptionsFor(*prepared.scenario, plan.workload, unit.subject->traits()).front();
    real_case.options.key_prefix = run_prefix + prepared.scenario->key_prefix;
    real_case.redis = redis_;
    real_case.redis.database = prepared.database;
    real_case.workload = plan.workload;
    real_case.stop = options_.stop;
    real_case.own = own_;
    real_case.disturbances = disturbances;
    const Result<real::RealRun> run = real::RunOnRedis(runtime_, real_case);
    if (!run.ok()) return run.status();
    if (run->stopped) return Status();
    const auto keys = sweeper_.Look(prepared.database, run_prefix);
    if (!keys.ok()) return keys.status();

    real::RealRules rules;
    rules.semaphore = unit.subject->traits().semaphore;
    rules.parties = real_case.options.parties;
    rules.wake_up_bound = unit.subject->WakeUpBound(real_case.options);
    rules.key_limits = {real_case.options.lease.count(),
                        unit.subject->AuxiliaryKeys(real_case.options)};
    rules.disturbed = run->disturbed;
    const real::RealVerdict verdict = real::JudgeReal(run->history, rules, *keys);
    real::AddRealRun(*run, verdict, unit);
    if (run->broken.empty()) Count(verdict.goals, goals_);
    ++report_.totals.runs;
    report_.totals.runs_with_faults += run->crashes > 0 || !run->disturbances.empty() ? 1 : 0;
    for (const real::Disturbance& one : run->disturbances) {
      ++disturbed_[static_cast<std::size_t>(one.kind)];
    }
    report_.totals.commands += run->commands;
    if (prepared.scenario->tells_story && disturbances.empty() && rounds_ == 0) {
      report_.notes.push_back(StoryOf(*prepared.scenario, *unit.subject, run->history));
    }
    return Status();
  }

  reports::RunReport Finish() {
    const bool crashes = std::any_of(prepared_.begin(), prepared_.end(), [](const Prepared& some) {
      return HasCrashes(*some.scenario);
    });
    const bool locks = std::any_of(
        options_.entries.begin(), options_.entries.end(),
        [](const Entry& entry) { return !entry.specimen && !entry.subject->traits().latch; });
    real::AddGoals(goals_, {locks, locks && crashes}, report_);
    report_.notes.emplace_back(
        "schedules are the machine's own: a run cannot be replayed, and what could not be decided "
        "is not a violation");
    NoteDisturbances();
    if (rounds_ > 1) {
      report_.notes.push_back(
          fmt::format("{} rounds, with the seeds from {} on", rounds_, options_.seed));
    }
    if (Stopped()) report_.status = reports::RunStatus::kPartial;
    if (const auto swept = sweeper_.Sweep(); !swept.ok()) {
      report_.notes.push_back(fmt::format("keys under {}* may be left until their TTLs end: {}",
                                          prefix_, swept.status().message()));
    }
    report_.totals.wall_time = std::chrono::duration_cast<milliseconds>(runtime_.Now() - started_);
    return std::move(report_);
  }

  void NoteDisturbances() {
    if (own_ == nullptr) return;
    std::string text;
    for (const real::DisturbanceKind kind : real::kAllDisturbances) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          disturbed_[static_cast<std::size_t>(kind)], ToString(kind));
    }
    report_.notes.push_back("every workload ran twice, the second time disturbed on purpose: " +
                            text);
  }

  const RealCheckOptions& options_;
  ThreadRuntime& runtime_;
  real::RedisServer* const own_;  // nullptr: another one's
  const HiredisOptions redis_;
  const std::string prefix_;
  real::KeySweeper sweeper_;
  const MonotonicTime started_;
  std::vector<Prepared> prepared_;                                       // of this round
  std::map<std::pair<std::size_t, std::size_t>, real::RealUnit> units_;  // by entry and scenario
  std::uint64_t rounds_ = 0;
  reports::RunReport report_;
  GoalCounts goals_{};
  std::uint64_t runs_begun_ = 0;
  std::array<std::uint64_t, real::kAllDisturbances.size()> disturbed_{};
};

/// kInvalidArgument if no sound lock meets a scenario that it can run.
Status CheckSelection(const RealCheckOptions& options) {
  for (const Entry& entry : options.entries) {
    if (entry.specimen) continue;
    for (const Scenario* scenario : options.scenarios) {
      if (RunsHere(*scenario) && Applies(*scenario, entry.subject->traits())) return Status();
    }
  }
  return Status(
      StatusCode::kInvalidArgument,
      "nothing to run on a real Redis: specimens, and scenarios that it cannot stage, are judged "
      "in simulation only");
}

}  // namespace

Result<reports::RunReport> RunRealCheck(const RealCheckOptions& options) {
  std::unique_ptr<real::RedisServer> own;
  std::string url = options.url;
  if (url == "spawn") {
    auto started = real::RedisServer::Start();
    if (!started.ok()) return started.status();
    own = *std::move(started);
    url = own->url();
  }
  Result<HiredisOptions> redis = real::ParseTarget(url, options.allow_remote);
  if (!redis.ok()) return redis.status();
  if (Status s = CheckSelection(options); !s.ok()) return s;
  ThreadRuntime runtime;
  std::string prefix = RandomPrefix(runtime);
  if (Status s = real::CheckServer(runtime, *redis, prefix); !s.ok()) return s;
  return RealCheck(options, runtime, own.get(), std::move(redis).value(), std::move(prefix)).Run();
}

}  // namespace interlock::scenarios
