// SPDX-License-Identifier: MIT
#include "scenarios/run/run_verdict.h"

#include <algorithm>
#include <optional>
#include <span>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/circles.h"
#include "scenarios/judge/exercised.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/liveness_bound.h"
#include "scenarios/judge/ownership.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/quorum.h"
#include "scenarios/judge/termination.h"
#include "scenarios/log/story.h"

namespace interlock::scenarios {
namespace {

class RunJudge {
 public:
  RunJudge(const RunCase& run_case, const Workload& workload,
           const std::vector<harness::LockOptions>& options, sim::World& world, Recorder& recorder)
      : case_(run_case),
        workload_(workload),
        traits_(run_case.subject->traits()),
        options_(options),
        world_(world),
        recorder_(recorder) {}

  RunResult Judge(sim::StopReason stop) {
    RunResult result;
    result.virtual_time = world_.now();
    recorder_.Close(stop == sim::StopReason::kIdle
                        ? world_.now() + PhaseTwoLength(case_, workload_, options_.front())
                        : world_.now());
    if (const auto& key = recorder_.server_data().outliving()) {
      JudgeOutlivingKey(*key, result.violations);
    }
    const bool ran_out = stop == sim::StopReason::kStepLimit;
    const bool to_its_end = !ran_out && stop != sim::StopReason::kUnmodelled;
    std::vector<History> views;
    if (traits_.quorum) views.reserve(recorder_.resources().size());
    std::vector<const History*> histories;
    histories.reserve(recorder_.resources().size());
    for (const RecordedResource& resource : recorder_.resources()) {
      if (traits_.quorum) views.push_back(QuorumView(resource.history));
      histories.push_back(traits_.quorum ? &views.back() : &resource.history);
      JudgeResource(resource, *histories.back(), to_its_end, result);
    }
    if (traits_.waits && ModelOf(traits_.kind).held) JudgeCircles(histories, result.violations);
    if (stop == sim::StopReason::kUnmodelled) {
      result.inconclusive = "not modelled: " + world_.unmodelled().value_or("?");
    } else if (ran_out && !StormRaged(histories)) {
      result.inconclusive =
          WhyStepsRanOut(recorder_.resources().front().history, world_.steps(), world_.commands());
    }
    if (MayGoOn(stop)) JudgeKeysLeft(result);
    NameResources(result.violations);
    std::ranges::stable_sort(result.violations, {}, &Violation::at);
    if (!recorder_.server_data().stray_key().empty()) {
      // A run that does not see everything the lock does cannot say what it did wrong.
      result.violations.clear();
      result.inconclusive =
          "the key \"" + recorder_.server_data().stray_key() + "\" is outside of the key prefix";
    }
    result.trace_hash = world_.trace().hash();
    result.commands = world_.commands();
    result.faults = recorder_.faults().count();
    result.struck = recorder_.faults().struck();
    if (case_.scenario->tells_story) {
      result.story =
          StoryOf(*case_.scenario, *case_.subject, recorder_.resources().front().history);
    }
    result.events = world_.trace().events();
    ShowSenders(result.events);
    result.log = recorder_.TakeEvents();
    std::ranges::stable_sort(result.log, {}, &LogEvent::at_latest);
    if (world_.trace().keeps_events()) {
      for (const RecordedResource& resource : recorder_.resources()) {
        result.histories.push_back({resource.options->resource, resource.history});
      }
    }
    return result;
  }

 private:
  Duration WakeUpBound() const { return case_.subject->WakeUpBound(options_.front()); }

  /// The bound applies unless something has gone wrong, or a lease may end before all those that a
  /// waiter knows of.
  std::optional<Duration> HandOverBound() const {
    if (recorder_.faults().count() > 0 || case_.scenario->gives_up.clocks) return std::nullopt;
    if (HasOwnLeases(workload_)) return std::nullopt;
    const std::optional<Duration> own = case_.subject->HandOverBound(options_.front());
    if (!own.has_value()) return std::nullopt;
    return *own + Connecting();
  }

  /// How long a newcomer that is compiled code needs until its first commands go out, beyond what
  /// the bound allows for messages: it may use two connections, and for each it asks two Sentinels
  /// and the master.
  Duration Connecting() const {
    constexpr int kServers = 3;
    constexpr int kMessages = 6;  // with each: to connect, to greet, to ask; and the answers
    if (!traits_.posix || sim::SentinelsOf(workload_.topology) == 0) return {};
    return 2 * kServers * kMessages * recorder_.resources().front().history.latency;
  }

  /// The bound applies if nothing goes wrong but deaths of clients.
  std::optional<Duration> PassedOverBound() const {
    FaultSet others = recorder_.faults().struck();
    others.reset(static_cast<std::size_t>(sim::FaultKind::kCrash));
    if (others.any() || case_.scenario->gives_up.clocks) return std::nullopt;
    return case_.subject->PassedOverBound(options_.front());
  }

  /// The history of the resource that a request for this one takes as well, if the lock takes
  /// several.
  const History* TakenWith(const RecordedResource& resource) const {
    const auto next = static_cast<std::size_t>(&resource - recorder_.resources().data()) + 1;
    if (!traits_.several || next >= recorder_.resources().size()) return nullptr;
    return &recorder_.resources()[next].history;
  }

  ProgressRules Rules(const RecordedResource& resource) const {
    constexpr std::int64_t kFreeRatePpm = 500'000;  // the largest that the world allows
    const std::int64_t drift = case_.scenario->gives_up.clocks ? kFreeRatePpm : kMostDrift.count();
    const Duration use = LongestUse(workload_, traits_.renews || traits_.lasts_as_connection);
    ProgressRules rules{WakeUpBound(), use + resource.history.stays_taken_for, drift};
    rules.hand_over_bound = HandOverBound();
    rules.passed_over_bound = PassedOverBound();
    // What the servers show is taken for as long as they keep it.
    if (!resource.history.ownership_seen) {
      rules.wake_up_bound += resource.history.stays_taken_for;
      if (rules.hand_over_bound) *rules.hand_over_bound += resource.history.stays_taken_for;
    }
    // A lock with a hand-over bound takes the first resource as soon as that one is free.
    const bool takes_in_turn = case_.subject->HandOverBound(options_.front()).has_value();
    rules.taken_with = takes_in_turn ? nullptr : TakenWith(resource);
    for (const RecordedResource& other : recorder_.resources()) {
      if (traits_.several && &other != &resource) rules.beside.push_back(&other.history);
    }
    return rules;
  }

  /// `history` is that of the lock as a whole.
  JudgedResource AsJudged(const RecordedResource& resource, const History& history,
                          bool to_its_end) const {
    return {.history = history,
            .recorded = resource.history,
            .subject = *case_.subject,
            .traits = traits_,
            .options = *resource.options,
            .rules = Rules(resource),
            .taken_with = TakenWith(resource),
            .guarded_by_token = workload_.guard == GuardKind::kFenced,
            .forgetful = case_.scenario->gives_up.writes,
            .to_its_end = to_its_end};
  }

  void JudgeResource(const RecordedResource& resource, const History& history, bool to_its_end,
                     RunResult& result) const {
    const std::size_t first = result.violations.size();
    const JudgedResource judged = AsJudged(resource, history, to_its_end);
    JudgeObserved(judged.recorded, traits_.kind, result.violations);
    for (const Property* property : AllProperties()) {
      if (!property->IsOf(traits_.kind)) continue;
      const PropertyJudge judge = property->ReadingOf(traits_.kind).judge;
      if (judge != nullptr) judge(judged, result.violations);
    }
    GoalSet goals = recorder_.goals();
    AddGoals(judged, goals);
    Take(Exercised(resource.history, traits_, goals), goals, resource, first, result);
  }

  /// Whether one of the locks sent more commands than it allows itself.
  bool StormRaged(std::span<const History* const> histories) const {
    std::vector<Violation> found;
    for (std::size_t i = 0; i < histories.size(); ++i) {
      const harness::LockOptions& options = *recorder_.resources()[i].options;
      JudgeStorm(*histories[i], case_.subject->CommandsPerLease(options), found);
    }
    return !found.empty();
  }

  /// Adds the contribution of one resource, whose violations are those from `first` on.
  void Take(const PerJudged<bool>& exercised, const GoalSet& goals,
            const RecordedResource& resource, std::size_t first, RunResult& result) const {
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
    const bool all =
        workload_.topology == sim::Topology::kIndependent || IsCluster(workload_.topology);
    const int first = all ? 0 : world_.server_node();
    const int last = all ? world_.nodes() - 1 : first;
    for (int node = first; node <= last; ++node) {
      JudgeLeftovers(world_.server(node).PeekKeys(case_.scenario->database),
                     world_.server(node).time_us() / 1000, recorder_.server_data().key_limits(),
                     recorder_.resources().front().history, result.violations);
    }
  }

  /// Shows a command as sent by its own client, where several clients share a process.
  void ShowSenders(std::vector<sim::TraceEvent>& events) const {
    for (sim::TraceEvent& event : events) {
      if (event.command == 0) continue;
      event.process =
          recorder_.users().SenderOf(event.process, event.command).value_or(event.process);
    }
  }

  /// If there are several resources, each violation says which one it concerns.
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
  const std::vector<harness::LockOptions>& options_;  ///< one for each resource
  sim::World& world_;
  Recorder& recorder_;
};

}  // namespace

bool MayGoOn(sim::StopReason stop) {
  return stop != sim::StopReason::kUnmodelled && stop != sim::StopReason::kStepLimit &&
         stop != sim::StopReason::kStopped;
}

Duration PhaseTwoLength(const RunCase& run_case, const Workload& workload,
                        const harness::LockOptions& options) {
  const harness::Subject& subject = *run_case.subject;
  const bool asks = run_case.scenario->asks_again;
  const int again = asks ? kRequestsAgain * static_cast<int>(workload.clients.size()) : 0;
  const Duration overrun = asks ? subject.OverrunBound(options) : Duration{};
  return 2 * (SerialLength(workload) +
              (4 + again) * (subject.WakeUpBound(options) + workload.lease + kSettling + overrun));
}

RunResult JudgeRun(const RunCase& run_case, const Workload& workload,
                   const std::vector<harness::LockOptions>& options, sim::World& world,
                   Recorder& recorder, sim::StopReason stop) {
  return RunJudge(run_case, workload, options, world, recorder).Judge(stop);
}

}  // namespace interlock::scenarios
