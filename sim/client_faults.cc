// SPDX-License-Identifier: MIT
//
// How the faults of client processes, their links and their clocks strike.
#include <optional>
#include <utility>

#include "sim/engine.h"

namespace interlock::sim {

void Engine::StrikeClient(Process& process, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kCrash:
      return Crash(process, fault);
    case FaultKind::kPause:
      return Pause(process, fault, fault.length);
    case FaultKind::kExpiry:
      return PauseUntilExpiry(process, fault);
    default:
      break;
  }
}

void Engine::StrikeLink(Process& process, const Fault& fault) {
  if (fault.kind == FaultKind::kHalfOpen) {
    if (Link* link = network.LiveLink(process)) {
      ReportFault(process, fault);
      network.Cut(*link);
      return;
    }
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

}  // namespace interlock::sim
