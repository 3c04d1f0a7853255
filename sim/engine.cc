// SPDX-License-Identifier: MIT
#include "sim/engine.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sim/check.h"
#include "sim/sim_connector.h"
#include "sim/sim_runtime.h"

namespace interlock::sim {

namespace {

bool HasLength(FaultKind kind) {
  return kind == FaultKind::kPause || kind == FaultKind::kExpiry ||
         kind == FaultKind::kDelayRequest || kind == FaultKind::kDelayReply;
}

std::string FaultText(const Fault& fault) {
  std::string text(ToString(fault.kind));
  if (!HasLength(fault.kind)) return text;
  text.append(" ").append(std::to_string(fault.length.count())).append(" ns");
  return text;
}

}  // namespace

Engine::Engine(Universe& its_universe, const WorldOptions& its_options, const FaultPlan& its_plan,
               Choices& its_choices, WorldObserver* its_observer)
    : options(its_options),
      choices(its_choices),
      observer(its_observer != nullptr ? its_observer : &default_observer_),
      server(its_universe.server()),
      trace(its_options.keep_events),
      scheduler(its_universe.stacks(), its_choices, *this),
      network(*this, its_universe.links()),
      plan_(its_plan) {
  server.Reset();
  server.SetSink(&network);
  server.SetHighestProtocol(2);  // All that a Connection can carry.
  server.SetTime(options.server_epoch_us);
}

Engine::~Engine() = default;

int Engine::AddProcess(const ClockOptions& clock, int database) {
  Require(clock.rate_ppm >= -500'000 && clock.rate_ppm <= 500'000,
          "a clock's rate is out of range");
  const int id = scheduler.AddGroup();
  processes_.push_back(
      std::make_unique<Process>(id, ClientClock(clock.offset, clock.rate_ppm), database));
  Process& process = *processes_.back();
  for (const Fault& fault : plan_) {
    if (fault.process == id) process.faults.push_back(fault);
  }
  std::stable_sort(process.faults.begin(), process.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.step < b.step; });
  if (!process.faults.empty()) process.next_fault_step = process.faults.front().step;
  process.runtime = std::make_unique<SimRuntime>(*this, process);
  process.connector = std::make_unique<SimConnector>(*this, process);
  return id;
}

void Engine::StepSlowly(Process& process) {
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
}

void Engine::Strike(Process& process, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kCrash:
      Crash(process, fault);
      return;
    case FaultKind::kPause:
      Pause(process, fault, fault.length);
      return;
    case FaultKind::kExpiry:
      PauseUntilExpiry(process, fault);
      return;
    case FaultKind::kHalfOpen:
      if (Link* link = network.LiveLink(process)) {
        ReportFault(process, fault);
        network.Cut(*link);
        return;
      }
      break;
    case FaultKind::kDelayRequest:
    case FaultKind::kDelayReply:
    case FaultKind::kLostRequest:
    case FaultKind::kLostReply:
    case FaultKind::kResetBefore:
    case FaultKind::kResetAfter:
      break;
  }
  process.armed.push_back(fault);
}

void Engine::Crash(Process& process, const Fault& fault) {
  ReportFault(process, fault);
  process.crashed = true;
  scheduler.timers().Cancel(process.thaw);
  scheduler.Kill(process.id);
  network.Crash(process);
  scheduler.Hold();
}

void Engine::Pause(Process& process, const Fault& fault, Duration length) {
  length = Clip(fault, length);
  if (length.count() <= 0) return;
  Fault effective = fault;
  effective.length = length;
  ReportFault(process, effective);
  const VirtualTime end = AddSaturating(MonotonicTime(now()), length).time_since_epoch();
  scheduler.Freeze(process.id);
  process.thaw =
      scheduler.timers().Add(end, {TimerKind::kThaw, static_cast<std::uint32_t>(process.id)});
  scheduler.Hold();
}

void Engine::PauseUntilExpiry(Process& process, const Fault& fault) {
  network.SyncServerTime();
  std::optional<VirtualTime> nearest;
  for (const redis::Server::KeyInfo& info : server.PeekKeys(process.database)) {
    if (!info.expires_at_ms) continue;
    const VirtualTime at((*info.expires_at_ms * 1000 - options.server_epoch_us) * 1000);
    if (at > now() && (!nearest || at < *nearest)) nearest = at;
  }
  if (nearest) Pause(process, fault, *nearest + fault.length - now());
}

void Engine::Thaw(Process& process) {
  if (!scheduler.frozen(process.id)) return;
  scheduler.timers().Cancel(process.thaw);
  trace.Add(now(), process.id, TraceKind::kResume, "");
  scheduler.Thaw(process.id);
}

Duration Engine::Clip(const Fault& fault, Duration wanted) {
  return observer->ClipFault(fault, wanted, now());
}

void Engine::ReportFault(const Process& process, const Fault& fault) {
  trace.Add(now(), process.id, TraceKind::kFault, FaultText(fault));
  observer->OnFault(fault, now());
}

void Engine::Heal() {
  trace.Add(now(), -1, TraceKind::kHeal, "");
  for (const std::unique_ptr<Process>& process : processes_) {
    process->next_fault = process->faults.size();
    process->next_fault_step = Process::kNoFault;
    process->armed.clear();
    Thaw(*process);
  }
  network.Heal();
}

void Engine::OnTimer(TimerHeap::Timer timer) {
  if (timer.kind == TimerKind::kThaw) {
    Process& thawed = process(static_cast<int>(timer.id));
    thawed.thaw = kNoTimer;
    Thaw(thawed);
    return;
  }
  network.OnTimer(timer);
}

void Engine::OnTaskStart(const ScheduledTask& task) {
  trace.Add(now(), task.group, TraceKind::kStart, task.name);
}

void Engine::OnTaskEnd(const ScheduledTask& task) {
  trace.Add(now(), task.group, TraceKind::kEnd, task.name);
}

}  // namespace interlock::sim
