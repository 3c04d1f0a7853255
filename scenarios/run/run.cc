// SPDX-License-Identifier: MIT
#include "scenarios/run/run.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "scenarios/judge/circles.h"
#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/exercised.h"
#include "scenarios/judge/kept_alive.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/latch.h"
#include "scenarios/judge/limit.h"
#include "scenarios/judge/liveness_bound.h"
#include "scenarios/judge/order.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/quorum.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/termination.h"
#include "scenarios/judge/tokens.h"
#include "scenarios/judge/validity.h"
#include "scenarios/judge/writes.h"
#include "scenarios/log/recorder.h"
#include "scenarios/log/story.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/environment.h"
#include "scenarios/run/latch_program.h"
#include "scenarios/run/several.h"
#include "scenarios/run/world_options.h"

namespace interlock::scenarios {
namespace {

/// Of a client that asks again: what is excused, and one request that is not.
constexpr int kRequestsAgain = kExcused + 1;

class OneRun {
 public:
  OneRun(sim::Universe& universe, const RunCase& run_case, const Workload& workload,
         sim::Choices& choices, bool keep_events, RunProbe* probe)
      : case_(run_case),
        workload_(workload),
        traits_(run_case.subject->traits()),
        options_(LockOptionsFor(*run_case.scenario, workload, traits_)),
        recorder_(RunMemory::Of(universe), *run_case.subject, options_, run_case.synchrony,
                  run_case.scenario->database, workload.guard),
        of_each_(recorder_),
        events_(traits_.several ? static_cast<ProgramEvents&>(of_each_) : recorder_),
        progress_(ProgressOfEach(workload, choices)),
        plan_(FaultPlanOf(workload)),
        world_(universe, WorldOptionsOf(workload, keep_events), plan_, choices, &recorder_),
        probe_(probe) {}

  RunResult Run(const StepWatch* watch) {
    if (watch != nullptr) world_.trace().CallAt(watch->step, watch->then);
    const int clients = static_cast<int>(workload_.clients.size());
    const int probes = workload_.permits * workload_.resources;
    recorder_.Attach(world_, clients + probes, workload_.latency_max);
    if (case_.scenario->gives_up.clocks) recorder_.FreeClocks();
    probes_.reserve(static_cast<std::size_t>(probes));
    if (probe_ != nullptr) {
      world_.SetProbe(probe_);
      probe_->OnBegin(world_, recorder_);
    }
    for (int i = 0; i < clients; ++i) Start(i);
    sim::StopReason stop = world_.Run(LongestPhaseOne(workload_));
    if (probe_ != nullptr) stop = EndProbe(stop);
    if (MayGoOn(stop)) {
      world_.Heal();
      recorder_.MarkHealed();
      for (const std::weak_ptr<Event>& resting : resting_) {
        if (const auto event = resting.lock()) event->Set();
      }
      // Newcomers may mend what the others cannot, such as a script that nobody loads twice.
      if (case_.scenario->asks_again) {
        stop =
            world_.Run(world_.now() + (kRequestsAgain + 1) * PhaseTwoLength() + kLongestRecovery);
      }
    }
    if (MayGoOn(stop)) {
      for (int i = 0; i < probes; ++i) AddProbe(i / workload_.permits);
      stop = world_.Run(world_.now() + PhaseTwoLength());
    }
    return Judge(stop);
  }

 private:
  static bool MayGoOn(sim::StopReason stop) {
    return stop != sim::StopReason::kUnmodelled && stop != sim::StopReason::kStepLimit &&
           stop != sim::StopReason::kStopped;
  }

  sim::StopReason EndProbe(sim::StopReason stop) {
    if (!MayGoOn(stop)) return stop;
    if (!probe_->GoOn({})) return sim::StopReason::kStopped;
    world_.SetProbe(nullptr);
    probe_->OnHeal(stop);
    return stop;
  }

  const ClientPlan& PlanOf(int client) const {
    const auto index = static_cast<std::size_t>(client);
    const std::size_t own = workload_.clients.size();
    return index < own ? workload_.clients[index] : probes_[index - own];
  }

  void Start(int client) {
    const ClientPlan& plan = PlanOf(client);
    world_.AddProcess({.offset = plan.clock_offset, .rate_ppm = plan.clock_rate_ppm},
                      case_.scenario->database);
    recorder_.NoteClient(client, plan);
    world_.Start(client, [this, client] {
      ClientEnvironment reached(world_, client, workload_.topology, PlanOf(client).clock_offset);
      harness::Environment& environment = reached.get();
      const auto index = static_cast<std::size_t>(client);
      std::array<std::unique_ptr<harness::Lock>, kMostResources> all;
      const std::span locks = std::span(all).first(static_cast<std::size_t>(workload_.resources));
      for (std::size_t i = 0; i < locks.size(); ++i) locks[i] = NewLock(client, i, environment);
      const bool own = index < workload_.clients.size();
      if (!traits_.latch) {
        RunClient(client, PlanOf(client), progress_[index], environment, traits_, locks, events_);
      } else if (own) {
        RunLatchClient(client, PlanOf(client), progress_[index], environment, locks, events_);
      } else {
        SeeLatchesOpen(client, PlanOf(client), environment, locks);
      }
      if (own) AskAgain(client, environment, locks);
    });
  }

  std::unique_ptr<harness::Lock> NewLock(int client, std::size_t resource,
                                         harness::Environment& environment) const {
    const ClientPlan& plan = PlanOf(client);
    const harness::LockOptions& options = options_[resource];
    const bool as_all = !plan.limit.has_value() && plan.lease.count() <= 0;  // as most are
    if (as_all && options.several.empty()) return case_.subject->NewLock(environment, options);
    return case_.subject->NewLock(environment, OptionsOf(client, WithPlan(plan, options)));
  }

  /// With the lock objects that have been through the faults, as soon as all is well again.
  void AskAgain(int client, harness::Environment& environment,
                std::span<const std::unique_ptr<harness::Lock>> locks) {
    if (!case_.scenario->asks_again) return;
    if (recorder_.resources().front().history.healed == kOpen) {
      const std::shared_ptr<Event> healed = environment.runtime.NewEvent();
      resting_.push_back(healed);
      healed->WaitUntil(kNever);
    }
    Operation ask = Request(client % workload_.resources);
    ask.think = workload_.lease / 8;
    ClientPlan plan;
    plan.operations.assign(kRequestsAgain, ask);
    plan.operations.back().think += kLongestRecovery;
    if (traits_.latch) return SeeLatchesOpen(client, plan, environment, locks);
    Progress progress;
    RunClient(client, plan, progress, environment, traits_, locks, events_);
  }

  /// Parties may have died, or given up: counts down for them, too.
  void SeeLatchesOpen(int client, const ClientPlan& plan, harness::Environment& environment,
                      std::span<const std::unique_ptr<harness::Lock>> locks) {
    const GivesUp& gives_up = case_.scenario->gives_up;
    for (const Operation& operation : plan.operations) {
      const LateComer late_comer{!gives_up.writes && !gives_up.clocks,
                                 PartiesOf(workload_, operation.resource), OneTooMany(workload_)};
      CountForAll(client, operation, late_comer, environment, locks, events_);
    }
  }

  /// A client that comes when all is well again: what it cannot get is lost. Where clients differ
  /// about the limit each of them makes it as many as there are of them.
  void AddProbe(int resource) {
    ClientPlan plan;
    if (VariesLimits(workload_) && MaySetLimits(traits_)) {
      plan.limit = 0;
      plan.operations.push_back({.resource = resource, .sets_limit = workload_.permits});
    }
    plan.operations.push_back(Request(resource));
    probes_.push_back(std::move(plan));
    Start(static_cast<int>(workload_.clients.size() + probes_.size()) - 1);
  }

  /// Of phase 2: patient, and soon done.
  Operation Request(int resource) const {
    Operation ask;
    ask.resource = resource;
    ask.ask = Ask::kWaitFor;
    ask.wait = PhaseTwoLength() / 2;
    ask.hold = workload_.lease / 4;
    return ask;
  }

  Duration WakeUpBound() const { return case_.subject->WakeUpBound(options_.front()); }

  /// Unless something has gone wrong, or a lease may end before all those that a waiter knows of.
  std::optional<Duration> HandOverBound() const {
    if (recorder_.faults() > 0 || case_.scenario->gives_up.clocks) return std::nullopt;
    if (HasOwnLeases(workload_)) return std::nullopt;
    return case_.subject->HandOverBound(options_.front());
  }

  /// Where clients die, and nothing else goes wrong.
  std::optional<Duration> PassedOverBound() const {
    FaultSet others = recorder_.struck();
    others.reset(static_cast<std::size_t>(sim::FaultKind::kCrash));
    if (others.any() || case_.scenario->gives_up.clocks) return std::nullopt;
    return case_.subject->PassedOverBound(options_.front());
  }

  ProgressRules Rules(const Recorder::Resource& resource) const {
    constexpr std::int64_t kFreeRatePpm = 500'000;  // the furthest that the world allows
    const std::int64_t drift = case_.scenario->gives_up.clocks ? kFreeRatePpm : kMostDrift.count();
    ProgressRules rules{WakeUpBound(), LongestUse(workload_, traits_.renews), drift};
    rules.hand_over_bound = HandOverBound();
    rules.passed_over_bound = PassedOverBound();
    for (const Recorder::Resource& other : recorder_.resources()) {
      if (traits_.several && &other != &resource) rules.beside.push_back(&other.history);
    }
    return rules;
  }

  /// Generous: virtual time is cheap, and the oracle judges by the real bounds.
  Duration PhaseTwoLength() const {
    const bool asks = case_.scenario->asks_again;
    const int again = asks ? kRequestsAgain * static_cast<int>(workload_.clients.size()) : 0;
    const Duration overrun = asks ? case_.subject->OverrunBound(options_.front()) : Duration{};
    return 2 * (SerialLength(workload_) +
                (4 + again) * (WakeUpBound() + workload_.lease + kSettling + overrun));
  }

  RunResult Judge(sim::StopReason stop) {
    RunResult result;
    result.virtual_time = world_.now();
    result.pending_tasks = world_.PendingTasks();
    recorder_.Close(stop == sim::StopReason::kIdle ? world_.now() + PhaseTwoLength()
                                                   : world_.now());
    result.violations = recorder_.violations();
    const bool ran_out = stop == sim::StopReason::kStepLimit;
    const bool to_its_end = !ran_out && stop != sim::StopReason::kUnmodelled;
    bool storm = false;
    std::vector<History> views;
    views.reserve(recorder_.resources().size());
    std::vector<const History*> histories;
    for (const Recorder::Resource& resource : recorder_.resources()) {
      if (traits_.quorum) views.push_back(QuorumView(resource.history));
      histories.push_back(traits_.quorum ? &views.back() : &resource.history);
      storm = JudgeResource(resource, *histories.back(), to_its_end, result) || storm;
    }
    if (traits_.waits && !traits_.latch) JudgeCircles(histories, result.violations);
    if (stop == sim::StopReason::kUnmodelled) {
      result.inconclusive = "not modelled: " + world_.unmodelled().value_or("?");
    } else if (ran_out && !storm) {
      result.inconclusive = WhyStepsRanOut(recorder_.resources().front().history);
    }
    if (MayGoOn(stop)) JudgeKeysLeft(result);
    NameResources(result.violations);
    std::ranges::stable_sort(result.violations, {}, &Violation::at);
    if (!recorder_.stray_key().empty()) {
      // Who does not see all that the lock does cannot say what it did wrong.
      result.violations.clear();
      result.inconclusive =
          "the key \"" + recorder_.stray_key() + "\" is outside of the key prefix";
    }
    result.trace_hash = world_.trace().hash();
    result.commands = world_.commands();
    result.faults = recorder_.faults();
    result.struck = recorder_.struck();
    if (case_.scenario->tells_story) {
      result.story =
          StoryOf(*case_.scenario, *case_.subject, recorder_.resources().front().history);
    }
    result.events = world_.trace().events();
    if (world_.trace().keeps_events()) {
      for (const Recorder::Resource& resource : recorder_.resources()) {
        result.histories.push_back({resource.options->resource, resource.history});
      }
    }
    return result;
  }

  /// `history`: that of the lock as a whole. True: it was asked more often than it allows itself.
  bool JudgeResource(const Recorder::Resource& resource, const History& history, bool to_its_end,
                     RunResult& result) const {
    if (traits_.latch) return JudgeLatchOf(resource, to_its_end, result);
    const std::size_t first = result.violations.size();
    if (traits_.quorum) JudgeQuorums(history, traits_.semaphore, result.violations);
    JudgeExclusion(history, traits_.semaphore, result.violations);
    JudgeOrphans(resource.history, result.violations);
    JudgeTokens(history, result.violations);
    const bool by_token = workload_.guard == GuardKind::kFenced;
    if (!traits_.semaphore) JudgeWrites(history, by_token, result.violations);
    JudgeRefusals(history, result.violations);
    JudgeRecovery(history, result.violations);
    JudgeLimit(history, result.violations);
    if (traits_.waits) JudgePatience(history, WakeUpBound(), result.violations);
    JudgeFalseValidity(history, result.violations);
    JudgeKeptAlive(history, KeptAliveBy(*case_.subject, *resource.options), result.violations);
    JudgeTermination(history, BoundsOf(*case_.subject, *resource.options), result.violations);
    if (traits_.bypass_bound.has_value()) {
      JudgeOrder(history, *traits_.bypass_bound, result.violations);
    }
    if (traits_.prefers_writers) JudgePreference(history, result.violations);
    const std::size_t before = result.violations.size();
    JudgeStorm(history, case_.subject->CommandsPerLease(*resource.options), result.violations);
    const bool storm = result.violations.size() > before;
    if (to_its_end) JudgeProgress(history, Rules(resource), result.violations);
    GoalSet goals = recorder_.goals();
    AddGoals(resource.history, goals);
    AddLimitGoals(resource.history, goals);
    if (traits_.quorum) AddQuorumGoals(resource.history, history, goals);
    PerJudged<bool> exercised = Exercised(resource.history, traits_.semaphore, goals);
    // Without a promise about the order only starvation counts, of whoever waits.
    if (!traits_.bypass_bound) exercised[Judged::kOrder] = goals.Has(Goal::kWaiterGranted);
    Take(exercised, goals, resource, first, result);
    return storm;
  }

  /// As JudgeResource, of a latch.
  bool JudgeLatchOf(const Recorder::Resource& resource, bool to_its_end, RunResult& result) const {
    const History& history = resource.history;
    const std::size_t first = result.violations.size();
    JudgeRecovery(history, result.violations);
    JudgePatience(history, WakeUpBound(), result.violations);
    JudgeTermination(history, BoundsOf(*case_.subject, *resource.options), result.violations);
    const std::size_t before = result.violations.size();
    JudgeStorm(history, case_.subject->CommandsPerLease(*resource.options), result.violations);
    const bool storm = result.violations.size() > before;
    const LatchRules rules{resource.options->parties, WakeUpBound(),
                           case_.scenario->gives_up.writes, HandOverBound(),
                           resource.options->life};
    JudgeLatch(history, rules, to_its_end, result.violations);
    GoalSet goals = recorder_.goals();
    AddLatchGoals(history, rules, goals);
    Take(ExercisedByLatch(history, goals), goals, resource, first, result);
    return storm;
  }

  /// Adds what one resource has contributed; its violations are those from `first` on.
  void Take(const PerJudged<bool>& exercised, const GoalSet& goals,
            const Recorder::Resource& resource, std::size_t first, RunResult& result) const {
    const auto index = static_cast<int>(&resource - recorder_.resources().data());
    for (Violation& one : std::span(result.violations).subspan(first)) one.resource = index;
    for (const Judged property : kAllJudged) {
      result.exercised[property] = result.exercised[property] || exercised[property];
    }
    result.goals.AddAll(goals);
    result.updates += resource.guarded.accepted_writes();
    result.lost_updates += resource.guarded.lost_updates();
  }

  void JudgeKeysLeft(RunResult& result) {
    const bool all = workload_.topology == sim::Topology::kIndependent ||
                     workload_.topology == sim::Topology::kCluster;
    const int first = all ? 0 : world_.server_node();
    const int last = all ? world_.nodes() - 1 : first;
    for (int node = first; node <= last; ++node) {
      JudgeLeftovers(world_.server(node).PeekKeys(case_.scenario->database),
                     world_.server(node).time_us() / 1000, recorder_.key_limits(),
                     recorder_.resources().front().history, result.violations);
    }
  }

  /// Where there are several, a sentence says which one it speaks of.
  void NameResources(std::vector<Violation>& violations) const {
    if (options_.size() == 1) return;
    for (Violation& one : violations) {
      if (one.resource < 0) continue;
      one.what += " (" + options_[static_cast<std::size_t>(one.resource)].resource + ")";
    }
  }

  const RunCase& case_;
  const Workload& workload_;
  const harness::Traits traits_;
  const std::vector<harness::LockOptions> options_;  ///< of each resource
  Recorder recorder_;
  EventsOfEach of_each_;
  ProgramEvents& events_;
  std::vector<ClientPlan> probes_;  ///< of phase 2; never moved, because their programs run
  std::vector<Progress> progress_;  ///< each client's; it survives a restart
  std::vector<std::weak_ptr<Event>> resting_;  ///< of clients that wait for phase 2
  const sim::FaultPlan plan_;
  sim::World world_;  // last but one: its destructor unwinds fibers that use all of the above
  RunProbe* const probe_;
};

}  // namespace

RunResult RunOnce(sim::Universe& universe, const RunCase& run_case, const Workload& workload,
                  sim::Choices& choices, bool keep_events, const StepWatch* watch,
                  RunProbe* probe) {
  const BoxedRun boxed(run_case, workload, choices);
  return OneRun(universe, run_case, workload, choices, keep_events, probe).Run(watch);
}

}  // namespace interlock::scenarios
