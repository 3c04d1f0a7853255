// SPDX-License-Identifier: MIT
//
// How the faults of client processes, their links and their clocks strike, and how they end.
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/engine.h"

namespace interlock::sim {

void Engine::StrikeClient(Process& process, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kCrash:
    case FaultKind::kRestart:
    case FaultKind::kRestartSameIdentity:
      return Crash(process, fault);
    case FaultKind::kPause:
    case FaultKind::kPauseClockFrozen:
      return Pause(process, fault, fault.length);
    case FaultKind::kExpiry:
      return PauseUntilExpiry(process, fault);
    case FaultKind::kEntropyRepeat:
      ReportFault(process, fault);
      process.DrawFromTheBeginningOf(0);
      return;
    case FaultKind::kEntropyAlike:
      // Once only: struck again, it would repeat its own.
      if (process.random_twist != 0) return;
      ReportFault(process, fault);
      process.DrawFromTheBeginningOf(0);
      process.random_twist = static_cast<unsigned char>(process.id + 1);
      return;
    default:
      break;
  }
}

void Engine::StrikeLink(Process& process, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kHalfOpen:
      if (Link* link = network.LiveLink(process)) {
        ReportFault(process, fault);
        return network.Cut(*link);
      }
      break;
    case FaultKind::kPartition:
      return Divide(process, fault, {fault.node, true, true, {}});
    case FaultKind::kPartitionToServer:
      return Divide(process, fault, {fault.node, true, false, {}});
    case FaultKind::kPartitionFromServer:
      return Divide(process, fault, {fault.node, false, true, {}});
    case FaultKind::kLostPush:
      return process.lost_pushes.push_back(fault);
    default:
      break;
  }
  process.armed.push_back(fault);
}

void Engine::StrikeClientClock(Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = Clip(fault, fault.length);
  if (fault.kind == FaultKind::kClientClockJump) {
    if (effective.length.count() <= 0) return;
    process.clock.Jump(now(), effective.length);
  } else {
    constexpr Duration kMost(ClientClock::kMostRatePpm);
    effective.length = std::clamp(effective.length, -kMost, kMost);
    process.clock.SetRate(now(), effective.length.count());
  }
  ReportFault(process, effective);
  ClockChanged(process);
}

void Engine::Crash(Process& process, const Fault& fault) {
  ReportFault(process, fault);
  process.crashed = true;
  process.armed.clear();
  process.lost_pushes.clear();
  scheduler.timers().Cancel(process.thaw);
  scheduler.Kill(process.id);
  network.Crash(process);
  if (fault.kind != FaultKind::kCrash) {
    process.same_identity = fault.kind == FaultKind::kRestartSameIdentity;
    const Duration down = std::max(fault.length, Duration{});
    const VirtualTime end = AddSaturating(MonotonicTime(now()), down).time_since_epoch();
    process.restart =
        scheduler.timers().Add(end, {TimerKind::kRestart, static_cast<std::uint32_t>(process.id)});
    ++restarts_to_come_;
  }
  scheduler.Hold();
}

void Engine::Restart(Process& process) {
  scheduler.timers().Cancel(process.restart);
  --restarts_to_come_;
  process.crashed = false;
  if (process.same_identity) process.random_blocks = 0;
  scheduler.Revive(process.id);
  trace.Add(now(), process.id, TraceKind::kResume, "restarted");
  observer->OnRestart(process.id, now());
  scheduler.AddTask(process.id, "main", process.main, now());
}

void Engine::Pause(Process& process, const Fault& fault, Duration length) {
  length = Clip(fault, length);
  if (length.count() <= 0) return;
  Fault effective = fault;
  effective.length = length;
  ReportFault(process, effective);
  const VirtualTime end = AddSaturating(MonotonicTime(now()), length).time_since_epoch();
  process.frozen_until = end;
  scheduler.Freeze(process.id);
  process.thaw =
      scheduler.timers().Add(end, {TimerKind::kThaw, static_cast<std::uint32_t>(process.id)});
  if (fault.kind == FaultKind::kPauseClockFrozen) {
    process.clock.Stand(now(), end);
    ClockChanged(process);
  }
  scheduler.Hold();
}

void Engine::PauseUntilExpiry(Process& process, const Fault& fault) {
  servers.CatchUp(now());
  // All keys of a cluster are on the masters together.
  const int first = servers.primary();
  const int last = servers.clustered() ? servers.count() - 1 : first;
  std::optional<VirtualTime> nearest;
  for (int node = first; node <= last; ++node) {
    for (const redis::Server::KeyInfo& info : servers.at(node).PeekKeys(process.database)) {
      if (!info.expires_at_ms) continue;
      const VirtualTime at = servers.TimeAtClock(node, *info.expires_at_ms * 1000);
      if (at > now() && (!nearest || at < *nearest)) nearest = at;
    }
  }
  if (nearest) Pause(process, fault, *nearest + fault.length - now());
}

void Engine::Thaw(Process& process) {
  if (!scheduler.frozen(process.id)) return;
  scheduler.timers().Cancel(process.thaw);
  trace.Add(now(), process.id, TraceKind::kResume, "");
  scheduler.Thaw(process.id);
  if (process.clock.stands(now())) {
    process.clock.Stand(now(), now());
    ClockChanged(process);
  }
}

void Engine::Divide(Process& process, const Fault& fault, Partition partition) {
  Fault effective = fault;
  effective.length = Clip(fault, fault.length);
  if (effective.length.count() <= 0) return;
  ReportFault(process, effective);
  partition.until = AddSaturating(MonotonicTime(now()), effective.length).time_since_epoch();
  std::erase_if(process.partitions, [this](const Partition& one) { return one.until <= now(); });
  process.partitions.push_back(partition);
  network.HoldBackUnderWay(process);
}

void Engine::ClockChanged(Process& process) {
  for (const std::unique_ptr<ScheduledTask>& task : scheduler.tasks()) {
    if (task->group != process.id || task->state != ScheduledTask::State::kWaiting) continue;
    if (task->local_deadline == kNever) continue;
    scheduler.Rearm(task.get(),
                    std::min(process.clock.Global(task->local_deadline), task->wait_limit));
  }
  observer->OnClockChange(process.id, now());
}

}  // namespace interlock::sim
