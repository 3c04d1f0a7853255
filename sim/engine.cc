// SPDX-License-Identifier: MIT
#include "sim/engine.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sim/check.h"
#include "sim/sim_connector.h"
#include "sim/sim_runtime.h"

namespace interlock::sim {

namespace {

std::string FaultText(const Fault& fault) {
  const FaultInfo& info = *FindFault(fault.kind);
  std::string text(info.name);
  if (info.uses_node) text.append(" of node ").append(std::to_string(fault.node));
  if (info.length() == FaultLength::kUnused) return text;
  text.append(" ").append(std::to_string(fault.length.count()));
  return text.append(info.length() == FaultLength::kPpm ? " ppm" : " ns");
}

}  // namespace

Engine::Engine(Universe& its_universe, const WorldOptions& its_options, const FaultPlan& its_plan,
               Choices& its_choices, WorldObserver* its_observer)
    : options(its_options),
      choices(its_choices),
      observer(its_observer != nullptr ? its_observer : &default_observer_),
      servers(its_universe.topology(), its_universe.topology_spec(), options),
      trace(its_options.keep_events, its_options.hash_trace, its_choices),
      scheduler(its_universe.stacks(), its_universe.scheduler_memory(), its_choices, *this),
      shadow(its_universe.shadow()),
      network(*this, its_universe.network_memory()),
      blocks_(its_universe.stacks().blocks()),
      plan_(its_plan),
      injecting_(its_choices.injects_faults()) {
  scheduler.SetInstant(instant());
}

Engine::~Engine() = default;

int Engine::AddProcess(const ClockOptions& clock, int database) {
  Require(clock.rate_ppm >= -500'000 && clock.rate_ppm <= 500'000,
          "a clock's rate is out of range");
  const int id = scheduler.AddGroup();
  processes_.emplace_back(
      new (blocks()) Process(id, ClientClock(clock.offset, clock.rate_ppm), database, names));
  Process& process = *processes_.back();
  for (const Fault& fault : plan_) {
    if (fault.process == id) process.faults.push_back(fault);
  }
  std::stable_sort(process.faults.begin(), process.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.step < b.step; });
  if (!process.faults.empty()) process.next_fault_step = process.faults.front().step;
  if (injecting_) process.next_fault_step = 0;
  process.runtime.reset(new (blocks()) SimRuntime(*this, process));
  process.connector.reset(new (blocks()) SimConnector(*this, process));
  return id;
}

Connector& Engine::ConnectorTo(Process& process, int node) {
  auto& connectors = process.node_connectors;
  if (connectors.empty()) connectors.resize(static_cast<std::size_t>(servers.count()));
  auto& connector = connectors[static_cast<std::size_t>(node)];
  if (connector == nullptr) connector.reset(new (blocks()) SimConnector(*this, process, node));
  return *connector;
}

bool Engine::StepInSight(Process& process, StepKind kind, PendingEvent pending) {
  for (;;) {
    if (scheduler.current() != nullptr) scheduler.YieldPoint(pending);
    const VirtualTime chosen = now();
    if (!Step(process, kind)) return false;
    if (now() == chosen) return true;
  }
}

void Engine::BeforePick(const std::vector<ScheduledTask*>& ready) {
  if (probe_ == nullptr) return;
  ready_.clear();
  for (const ScheduledTask* task : ready) {
    ready_.push_back({task->group, task->ordinal, !task->at_yield_point});
  }
  if (!probe_->GoOn(ready_)) scheduler.Stop(StopReason::kStopped);
  footprint.Clear();
  noting_ = probe_->WantsFootprint();
}

bool Engine::Join(const Process& process, ScheduledTask& task, MonotonicTime deadline,
                  bool may_throw) {
  ScheduledTask& self = *scheduler.current();
  self.joins = &task;
  self.joins_in_destructor = !may_throw;
  while (task.state != ScheduledTask::State::kDone) {
    if (scheduler.tearing_down()) {
      if (may_throw) scheduler.CountTeardownCall();
      scheduler.YieldInTeardown();
      continue;
    }
    if (Reached(process, deadline)) break;
    task.joiners.Append(&self);
    Wait(WaitKind::kJoin, process, deadline);
    task.joiners.Remove(&self);
  }
  self.joins = nullptr;
  return task.state == ScheduledTask::State::kDone;
}

void Engine::StepSlowly(Process& process, StepKind kind) {
  if (steps_ > options.max_steps) {
    scheduler.Stop(StopReason::kStepLimit);
    scheduler.Interrupt();
    return;
  }
  const int step = process.steps - 1;
  while (process.next_fault < process.faults.size()) {
    if (process.faults[process.next_fault].step > step) break;
    const Fault fault = process.faults[process.next_fault++];
    const bool last = process.next_fault == process.faults.size();
    process.next_fault_step = last ? Process::kNoFault : process.faults[process.next_fault].step;
    Strike(process, fault);
    if (scheduler.tearing_down()) return;
  }
  if (injecting_) Inject(process, step, kind);
}

void Engine::Inject(Process& process, int step, StepKind kind) {
  process.next_fault_step = 0;
  // A fault may let other tasks run, and thereby end the faulty phase.
  while (injecting_ && !scheduler.tearing_down()) {
    const std::optional<Fault> fault = choices.InjectFault(process.id, step, kind);
    if (!fault) return;
    Strike(process, *fault);
  }
}

void Engine::Strike(Process& process, const Fault& fault) {
  const FaultInfo* info = FindFault(fault.kind);
  Require(info != nullptr, "the plan has a fault that is not known");
  if (info->uses_node && fault.node >= servers.count()) return;
  if (!servers.Has(info->needs)) return;
  switch (info->family) {
    case FaultFamily::kClient:
      return client_faults.StrikeProcess(process, fault);
    case FaultFamily::kLink:
      return client_faults.StrikeLink(process, fault);
    case FaultFamily::kClock:
      return info->uses_node ? server_faults.StrikeClock(process, fault)
                             : client_faults.StrikeClock(process, fault);
    case FaultFamily::kServer:
      return server_faults.StrikeServer(process, fault);
    case FaultFamily::kAdmin:
      return server_faults.StrikeAdmin(process, fault);
  }
}

Duration Engine::Clip(const Fault& fault, Duration wanted) {
  return observer->ClipFault(fault, wanted, now());
}

void Engine::ReportFault(const Process& process, const Fault& fault) {
  trace.Add(now(), process.id, TraceKind::kFault, FaultText(fault));
  observer->OnFault(fault, now());
}

void Engine::Heal() {
  injecting_ = false;
  trace.Add(now(), -1, TraceKind::kHeal, "");
  server_faults.Heal();
  for (const std::unique_ptr<Process>& process : processes_) client_faults.Heal(*process);
  network.Heal();
}

void Engine::OnTimer(TimerQueue::Timer timer) {
  if (timer.kind == TimerKind::kRestart) {
    Process& restarted = process(static_cast<int>(timer.id));
    restarted.restart = kNoTimer;
    return client_faults.Restart(restarted);
  }
  if (timer.kind == TimerKind::kThaw) {
    Process& thawed = process(static_cast<int>(timer.id));
    thawed.thaw = kNoTimer;
    return client_faults.Thaw(thawed);
  }
  if (timer.kind == TimerKind::kServerFault) return server_faults.OnTimer(timer.id);
  network.OnTimer(timer);
}

void Engine::OnTaskStart(const ScheduledTask& task) {
  trace.Add(now(), task.group, TraceKind::kStart, task.name);
}

void Engine::OnTaskEnd(const ScheduledTask& task) {
  trace.Add(now(), task.group, TraceKind::kEnd, task.name);
}

}  // namespace interlock::sim
