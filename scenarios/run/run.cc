// SPDX-License-Identifier: MIT
#include "scenarios/run/run.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/environments.h"
#include "scenarios/run/latch_program.h"
#include "scenarios/run/recorder/recorder.h"
#include "scenarios/run/run_verdict.h"

namespace interlock::scenarios {
namespace {

/// The progress of each client, and of those that ask for every permit in phase 2. `choices` are
/// told of places if they follow them, and outlive the result.
std::vector<Progress> ProgressOfEach(const Workload& workload, sim::Choices& choices) {
  const auto late = static_cast<std::size_t>(workload.permits * workload.resources);
  std::vector<Progress> all(workload.clients.size() + late);
  if (!choices.follows_places()) return all;
  for (std::size_t client = 0; client < all.size(); ++client) {
    all[client].tell = [&choices, client](std::size_t operation, OperationPart part) {
      choices.NotePlace(static_cast<int>(client), PlaceOf(operation, part));
    };
  }
  return all;
}

sim::WorldOptions WorldOf(const RunCase& run_case, const Workload& workload, bool keep_events,
                          bool hash_trace) {
  sim::WorldOptions options = WorldOptionsOf(workload, keep_events, hash_trace);
  options.dialect = run_case.scenario->server;
  return options;
}

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
        events_(recorder_.program_events()),
        progress_(ProgressOfEach(workload, choices)),
        plan_(FaultPlanOf(workload)),
        world_(universe, WorldOf(run_case, workload, keep_events, probe == nullptr), plan_, choices,
               &recorder_),
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
      // Newcomers start only after this: they may repair what the others cannot, such as a script
      // that nobody loads twice.
      if (case_.scenario->asks_again && SomebodyMayAskAgain()) {
        stop = world_.Run(world_.now() + (kRequestsAgain + 1) * PhaseTwo() + kLongestRecovery);
      }
    }
    if (MayGoOn(stop)) {
      for (int i = 0; i < probes; ++i) AddProbe(i / workload_.permits);
      stop = world_.Run(world_.now() + PhaseTwo());
    }
    return JudgeRun(case_, workload_, options_, world_, recorder_, stop);
  }

 private:
  /// Waiters at a latch that misses a dead party would only poll: newcomers alone can open it.
  bool SomebodyMayAskAgain() const {
    return ModelOf(traits_.kind).held ||
           std::ranges::any_of(resting_, [](const auto& event) { return !event.expired(); });
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

  int ProcessOf(int client) const {
    const bool own = static_cast<std::size_t>(client) < workload_.clients.size();
    return own ? scenarios::ProcessOf(workload_, client) : client;
  }

  void Start(int client) {
    const int process = ProcessOf(client);
    const ClientPlan& plan = PlanOf(process);
    world_.AddProcess({.offset = plan.clock_offset, .rate_ppm = plan.clock_rate_ppm},
                      case_.scenario->database);
    if (traits_.posix) world_.ServePosix(process, traits_.os_threads);
    recorder_.NoteClient(client, process, plan);
    if (process == client) world_.Start(process, [this, process] { Live(process); });
  }

  using Locks = std::span<const std::unique_ptr<harness::Lock>>;

  /// One life of a process: its client, and beside it the clients that share its lock objects.
  void Live(int process) {
    SimulatedEnvironment reached(world_, process, workload_.topology, PlanOf(process).clock_offset);
    harness::Environment& environment = reached.get();
    std::optional<CompiledEnvironment> compiled;
    if (traits_.posix) compiled.emplace(world_, workload_.topology, environment);
    harness::Environment& given = compiled.has_value() ? compiled->get() : environment;
    std::array<std::unique_ptr<harness::Lock>, kMostResources> all;
    const std::span locks = std::span(all).first(static_cast<std::size_t>(workload_.resources));
    for (std::size_t i = 0; i < locks.size(); ++i) locks[i] = NewLock(process, i, given);
    std::vector<std::unique_ptr<Task>> others;
    const int clients = static_cast<int>(workload_.clients.size());
    for (int other = process + 1; other < clients && ProcessOf(other) == process; ++other) {
      others.push_back(environment.runtime.Spawn(
          "user", [this, other, &environment, locks] { Use(other, environment, locks); }));
    }
    Use(process, environment, locks);
    for (const std::unique_ptr<Task>& other : others) other->Join();
  }

  void Use(int client, harness::Environment& environment, Locks locks) {
    recorder_.RunsOnThisTask(client);
    const auto index = static_cast<std::size_t>(client);
    const bool own = index < workload_.clients.size();
    if (ModelOf(traits_.kind).held) {
      RunClient(client, PlanOf(client), progress_[index], environment, traits_, locks, events_);
    } else if (own) {
      RunLatchClient(client, PlanOf(client), progress_[index], environment, locks, events_);
    } else {
      SeeLatchesOpen(client, PlanOf(client), environment, locks);
    }
    if (own) AskAgain(client, environment, locks);
  }

  std::unique_ptr<harness::Lock> NewLock(int client, std::size_t resource,
                                         harness::Environment& environment) const {
    const ClientPlan& plan = PlanOf(client);
    const harness::LockOptions& options = options_[resource];
    const bool as_all = !plan.limit.has_value() && plan.lease.count() <= 0;  // as for most clients
    if (as_all && options.several.empty()) return case_.subject->NewLock(environment, options);
    return case_.subject->NewLock(environment, OptionsOf(client, WithPlan(plan, options)));
  }

  /// Makes further requests, once all faults have ended, with the lock objects that went through
  /// them.
  void AskAgain(int client, harness::Environment& environment, Locks locks) {
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
    if (!ModelOf(traits_.kind).held) return SeeLatchesOpen(client, plan, environment, locks);
    Progress progress;
    RunClient(client, plan, progress, environment, traits_, locks, events_);
  }

  /// Counts down for all parties, because some may have died or given up.
  void SeeLatchesOpen(int client, const ClientPlan& plan, harness::Environment& environment,
                      Locks locks) {
    const GivesUp& gives_up = case_.scenario->gives_up;
    for (const Operation& operation : plan.operations) {
      const LateComer late_comer{!gives_up.writes && !gives_up.clocks,
                                 PartiesOf(workload_, operation.resource), OneTooMany(workload_)};
      CountForAll(client, operation, late_comer, environment, locks, events_);
    }
  }

  /// Adds a client that arrives once all faults have ended: what it cannot get is lost. If clients
  /// differ about the limit, each probe sets it to the number of probes for the resource.
  void AddProbe(int resource) {
    ClientPlan plan;
    if (VariesLimits(workload_) && MaySetLimits(traits_.kind)) {
      plan.limit = 0;
      plan.operations.push_back({.resource = resource, .sets_limit = workload_.permits});
    }
    plan.operations.push_back(Request(resource));
    probes_.push_back(std::move(plan));
    Start(static_cast<int>(workload_.clients.size() + probes_.size()) - 1);
  }

  /// A request of phase 2, which waits long and holds only briefly.
  Operation Request(int resource) const {
    Operation ask;
    ask.resource = resource;
    ask.ask = Ask::kWaitFor;
    ask.wait = PhaseTwo() / 2;
    ask.hold = workload_.lease / 4;
    return ask;
  }

  Duration PhaseTwo() const { return PhaseTwoLength(case_, workload_, options_.front()); }

  const RunCase& case_;
  const Workload& workload_;
  const harness::Traits traits_;
  const std::vector<harness::LockOptions> options_;  ///< one for each resource
  Recorder recorder_;
  ProgramEvents& events_;
  std::vector<ClientPlan> probes_;  ///< clients of phase 2; never moved, as their programs run
  std::vector<Progress> progress_;  ///< of each client; survives a restart
  std::vector<std::weak_ptr<Event>> resting_;  ///< events of clients that wait for phase 2
  const sim::FaultPlan plan_;
  sim::World world_;  // last but one: its destructor unwinds fibers that use all of the above
  RunProbe* const probe_;
};

}  // namespace

bool IsPromised(Judged property, const RunCase& run_case) {
  return WhyNotPromised(property, *run_case.scenario, run_case.synchrony,
                        run_case.subject->traits())
      .empty();
}

RunResult RunOnce(sim::Universe& universe, const RunCase& run_case, const Workload& workload,
                  sim::Choices& choices, bool keep_events, const StepWatch* watch,
                  RunProbe* probe) {
  const BoxedRun boxed(run_case, workload, choices);
  return OneRun(universe, run_case, workload, choices, keep_events, probe).Run(watch);
}

}  // namespace interlock::scenarios
