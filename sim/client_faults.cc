// SPDX-License-Identifier: MIT
#include "sim/client_faults.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/check.h"
#include "sim/engine.h"
#include "sim/posix/library.h"

namespace interlock::sim {

void ClientFaults::StrikeProcess(Process& process, const Fault& fault) {
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
      engine_.ReportFault(process, fault);
      process.DrawFromTheBeginningOf(0);
      return;
    case FaultKind::kEntropyAlike:
      // Only once: struck again, the process would repeat its own random bytes.
      if (process.random_twist != 0) return;
      engine_.ReportFault(process, fault);
      process.DrawFromTheBeginningOf(0);
      process.random_twist = static_cast<unsigned char>(process.id + 1);
      return;
    default:
      Require(false, "a fault of clients does nothing");
  }
}

void ClientFaults::StrikeLink(Process& process, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kHalfOpen:
      if (Link* link = engine_.network.LiveLink(process)) {
        engine_.ReportFault(process, fault);
        return engine_.network.Cut(*link);
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
    case FaultKind::kDelayRequest:
    case FaultKind::kDelayReply:
    case FaultKind::kLostRequest:
    case FaultKind::kLostReply:
    case FaultKind::kResetBefore:
    case FaultKind::kResetAfter:
      break;
    default:
      Require(false, "no such fault of a link");
  }
  process.armed.push_back(fault);
}

void ClientFaults::StrikeClock(Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = engine_.Clip(fault, fault.length);
  if (fault.kind == FaultKind::kClientClockJump) {
    if (effective.length.count() <= 0) return;
    process.clock.Jump(engine_.now(), effective.length);
  } else {
    Require(fault.kind == FaultKind::kClientClockRate, "no such fault of a client's clock");
    constexpr Duration kMost(ClientClock::kMostRatePpm);
    effective.length = std::clamp(effective.length, -kMost, kMost);
    process.clock.SetRate(engine_.now(), effective.length.count());
  }
  engine_.ReportFault(process, effective);
  ClockChanged(process);
}

void ClientFaults::Crash(Process& process, const Fault& fault) {
  engine_.ReportFault(process, fault);
  process.crashed = true;
  process.armed.clear();
  process.lost_pushes.clear();
  if (process.library != nullptr) process.library->Die();
  engine_.scheduler.timers().Cancel(process.thaw);
  engine_.scheduler.Kill(process.id);
  engine_.network.Crash(process);
  if (fault.kind != FaultKind::kCrash) {
    process.same_identity = fault.kind == FaultKind::kRestartSameIdentity;
    const Duration down = std::max(fault.length, Duration{});
    const VirtualTime end = AddSaturating(MonotonicTime(engine_.now()), down).time_since_epoch();
    process.restart = engine_.scheduler.timers().Add(
        end, {TimerKind::kRestart, static_cast<std::uint32_t>(process.id)});
    ++restarts_to_come_;
  }
  engine_.scheduler.Hold();
}

void ClientFaults::Restart(Process& process) {
  engine_.scheduler.timers().Cancel(process.restart);
  --restarts_to_come_;
  process.crashed = false;
  process.exited = false;
  if (process.same_identity) process.random_blocks = 0;
  if (process.library != nullptr) process.library->Forget();
  engine_.scheduler.Revive(process.id);
  engine_.trace.Add(engine_.now(), process.id, TraceKind::kResume, "restarted");
  engine_.observer->OnRestart(process.id, engine_.now());
  engine_.scheduler.AddTask(process.id, "main", process.main, engine_.now());
}

void ClientFaults::Pause(Process& process, const Fault& fault, Duration length) {
  length = engine_.Clip(fault, length);
  if (length.count() <= 0) return;
  Fault effective = fault;
  effective.length = length;
  engine_.ReportFault(process, effective);
  const VirtualTime end = AddSaturating(MonotonicTime(engine_.now()), length).time_since_epoch();
  process.frozen_until = end;
  engine_.scheduler.Freeze(process.id);
  process.thaw = engine_.scheduler.timers().Add(
      end, {TimerKind::kThaw, static_cast<std::uint32_t>(process.id)});
  if (fault.kind == FaultKind::kPauseClockFrozen) {
    process.clock.Stand(engine_.now(), end);
    ClockChanged(process);
  }
  engine_.scheduler.Hold();
}

void ClientFaults::PauseUntilExpiry(Process& process, const Fault& fault) {
  engine_.servers.CatchUp(engine_.now());
  // In a cluster the keys are spread over all masters.
  const int first = engine_.servers.primary();
  const int last = engine_.servers.clustered() ? engine_.servers.count() - 1 : first;
  std::optional<VirtualTime> nearest;
  for (int node = first; node <= last; ++node) {
    for (const redis::Server::KeyInfo& info : engine_.servers.at(node).PeekKeys(process.database)) {
      if (!info.expires_at_ms) continue;
      const VirtualTime at = engine_.servers.TimeAtClock(node, *info.expires_at_ms * 1000);
      if (at > engine_.now() && (!nearest || at < *nearest)) nearest = at;
    }
  }
  if (nearest) Pause(process, fault, *nearest + fault.length - engine_.now());
}

void ClientFaults::Thaw(Process& process) {
  if (!engine_.scheduler.frozen(process.id)) return;
  engine_.scheduler.timers().Cancel(process.thaw);
  engine_.trace.Add(engine_.now(), process.id, TraceKind::kResume, "");
  engine_.scheduler.Thaw(process.id);
  if (process.clock.stands(engine_.now())) {
    process.clock.Stand(engine_.now(), engine_.now());
    ClockChanged(process);
  }
}

void ClientFaults::Heal(Process& process) {
  process.next_fault = process.faults.size();
  process.next_fault_step = Process::kNoFault;
  process.armed.clear();
  process.lost_pushes.clear();
  process.partitions.clear();
  if (process.restart != kNoTimer) Restart(process);
  if (process.clock.rate_ppm() != process.rate_ppm) {
    process.clock.SetRate(engine_.now(), process.rate_ppm);
    ClockChanged(process);
  }
  Thaw(process);
}

void ClientFaults::Divide(Process& process, const Fault& fault, Partition partition) {
  Fault effective = fault;
  effective.length = engine_.Clip(fault, fault.length);
  if (effective.length.count() <= 0) return;
  engine_.ReportFault(process, effective);
  partition.until =
      AddSaturating(MonotonicTime(engine_.now()), effective.length).time_since_epoch();
  std::erase_if(process.partitions,
                [this](const Partition& one) { return one.until <= engine_.now(); });
  process.partitions.push_back(partition);
  engine_.network.HoldBackUnderWay(process);
}

void ClientFaults::ClockChanged(Process& process) {
  for (const std::unique_ptr<ScheduledTask>& task : engine_.scheduler.tasks()) {
    if (task->group != process.id || task->state != ScheduledTask::State::kWaiting) continue;
    if (task->local_deadline == kNever) continue;
    engine_.scheduler.Rearm(task.get(),
                            std::min(process.clock.Global(task->local_deadline), task->wait_limit));
  }
  engine_.observer->OnClockChange(process.id, engine_.now());
}

}  // namespace interlock::sim
