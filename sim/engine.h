// SPDX-License-Identifier: MIT
//
// Shared by the parts of one world: scheduler, network, servers, trace, processes, and the step
// counter that triggers the plan's faults. Internal to sim. Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/choices.h"
#include "sim/client_faults.h"
#include "sim/faults.h"
#include "sim/fingerprint.h"
#include "sim/network.h"
#include "sim/process.h"
#include "sim/scheduler.h"
#include "sim/server_faults.h"
#include "sim/servers.h"
#include "sim/shadow.h"
#include "sim/trace.h"
#include "sim/universe.h"
#include "sim/world.h"

namespace interlock::sim {

class Engine final : public SchedulerHost {
 public:
  Engine(Universe& its_universe, const WorldOptions& its_options, const FaultPlan& its_plan,
         Choices& its_choices, WorldObserver* its_observer);
  ~Engine();

  int AddProcess(const ClockOptions& clock, int database);
  Process& process(int id) { return *processes_[static_cast<std::size_t>(id)]; }
  const Process& process(int id) const { return *processes_[static_cast<std::size_t>(id)]; }
  Connector& ConnectorTo(Process& process, int node);
  /// Memory for the world's short-lived objects; see Pooled.
  redis::SmallBlocks& blocks() { return blocks_; }

  /// Counts a step of the running task's process and lets due faults strike. Returns false in
  /// teardown, or outside tasks: the seam call must then fail with kCancelled.
  bool Step(Process& process, StepKind kind) {
    if (scheduler.tearing_down() || scheduler.current() == nullptr) [[unlikely]] {
      scheduler.CountTeardownCall();
      return false;
    }
    ++steps_;
    if (process.steps++ >= process.next_fault_step || steps_ > options.max_steps) [[unlikely]] {
      StepSlowly(process, kind);
      return !scheduler.tearing_down();
    }
    return true;
  }

  /// A step at a yield point of an instant world: a fault is part of the choice made here, and a
  /// pause is followed by a new choice.
  bool StepInSight(Process& process, StepKind kind, PendingEvent pending);

  /// Blocks the running task until its process's clock shows `deadline`, or until `limit`. Returns
  /// false in teardown.
  bool Wait(WaitKind kind, const Process& process, MonotonicTime deadline,
            VirtualTime limit = VirtualTime::max(), std::uint32_t link = 0) {
    ScheduledTask& task = *scheduler.current();
    task.wait = kind;
    task.wait_link = link;
    task.local_deadline = deadline;
    task.wait_limit = limit;
    scheduler.Block(std::min(process.clock.Global(deadline), limit));
    return !scheduler.tearing_down();
  }

  /// Waits until the task has ended, in teardown, too, or until the process's clock shows
  /// `deadline`. Returns whether it has ended. `may_throw`: the caller may be ended by an exception
  /// in teardown.
  bool Join(const Process& process, ScheduledTask& task, MonotonicTime deadline, bool may_throw);

  bool Reached(const Process& process, MonotonicTime deadline) const {
    return process.clock.Global(deadline) <= now();
  }

  /// Lets the fault strike the running task's process now, independently of the plan's steps.
  void StrikeHere(Process& process, const Fault& fault) {
    if (!scheduler.tearing_down() && scheduler.current() != nullptr) Strike(process, fault);
  }

  /// Reports to trace and observer that a message fault took effect.
  void ReportFault(const Process& process, const Fault& fault);
  /// `fault.length`, as far as the scenario allows it here.
  Duration Clip(const Fault& fault, Duration wanted);

  void Heal();
  /// See WorldOptions::latency_max.
  bool instant() const { return options.latency_min + options.latency_max == Duration{}; }
  /// The probe; null: none. Instant worlds only.
  void SetProbe(WorldProbe* probe) { probe_ = probe; }
  /// Whether the processes' observations are recorded, for fingerprints.
  bool watched() const { return probe_ != nullptr; }
  /// Whether the present step's footprint is wanted.
  bool noting() const { return noting_; }
  /// Where to record what the running task observes now.
  FingerprintWriter& Observe(Process& process, std::uint64_t kind) {
    if (noting_ && process.id != picked_) footprint.TouchAll();
    process.observed.Time(now());
    process.observed.Number(kind << 32 | scheduler.current()->ordinal);
    return process.observed;
  }
  std::uint64_t steps() const { return steps_; }
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
  VirtualTime now() const { return scheduler.now(); }
  /// The server that an observer is being told about; otherwise the primary.
  int viewed_node() const { return viewed_node_.value_or(servers.primary()); }
  /// While it lives, this server is the one that an observer is told about.
  class View {
   public:
    View(Engine& engine, int node) : engine_(engine), before_(engine.viewed_node_) {
      engine.viewed_node_ = node;
    }
    ~View() { engine_.viewed_node_ = before_; }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

   private:
    Engine& engine_;
    const std::optional<int> before_;
  };

  const WorldOptions options;
  Choices& choices;
  WorldObserver* const observer;  // never null
  Servers servers;
  Trace trace;
  RandomNames names;
  Scheduler scheduler;
  Shadow* const shadow;  // null: none
  Network network;
  ClientFaults client_faults{*this};
  ServerFaults server_faults{*this};
  redis::Footprint footprint;  // since the latest choice, if wanted

 private:
  void OnTimer(TimerQueue::Timer timer) override;
  void OnTaskStart(const ScheduledTask& task) override;
  void OnTaskEnd(const ScheduledTask& task) override;
  bool Quiet() const override { return network.Quiet() && client_faults.Quiet(); }
  void BeforePick(const std::vector<ScheduledTask*>& ready) override;
  void AfterPick(const ScheduledTask& picked) override { picked_ = picked.group; }

  void StepSlowly(Process& process, StepKind kind);
  void Inject(Process& process, int step, StepKind kind);
  void Strike(Process& process, const Fault& fault);

  redis::SmallBlocks& blocks_;
  const FaultPlan& plan_;
  std::optional<int> viewed_node_;
  WorldProbe* probe_ = nullptr;
  bool noting_ = false;
  int picked_ = -1;               // the process chosen last
  std::vector<ReadyTask> ready_;  // for the probe; reused for its storage
  WorldObserver default_observer_;
  std::uint64_t steps_ = 0;
  bool injecting_;  // the choices may add faults: every step takes the slow path
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace interlock::sim
