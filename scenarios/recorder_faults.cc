// SPDX-License-Identifier: MIT
//
// What a recorder makes of faults: who may have felt them, how long they may be in this synchrony
// class, and what they do to what the servers hold.
#include <algorithm>
#include <utility>

#include "scenarios/recorder.h"

namespace interlock::scenarios {

void Recorder::OnFault(const sim::Fault& fault, sim::VirtualTime now) {
  using enum sim::FaultKind;
  if (closed_) return;
  ++faults_;
  struck_.set(static_cast<std::size_t>(fault.kind));
  const sim::FaultInfo& info = *sim::FindFault(fault.kind);
  const bool of_server =
      info.family == sim::FaultFamily::kServer || info.family == sim::FaultFamily::kAdmin;
  if (of_server || (info.family == sim::FaultFamily::kClock && info.uses_node)) {
    return OnServerFault(fault, now);
  }
  ClientState& client = state(fault.process);
  switch (fault.kind) {
    case kCrash:
    case kRestart:
    case kRestartSameIdentity:
      history_.deaths.push_back({fault.process, now});
      history_.last_fault = std::max(history_.last_fault, now + std::max(fault.length, Duration{}));
      break;
    case kPause:
    case kPauseClockFrozen:
    case kExpiry:
      if (client.inside) goals_.Add(Goal::kPausedInSection);
      history_.pauses.push_back({fault.process, now});
      OnDelay(fault, false, now);
      break;
    case kDelayRequest:
    case kPartition:
    case kPartitionToServer:
      OnDelay(fault, true, now);
      break;
    case kDelayReply:
    case kPartitionFromServer:
      OnDelay(fault, false, now);
      break;
    case kHalfOpen:
      client.silent = true;
      [[fallthrough]];
    case kLostRequest:
    case kLostReply:
    case kResetBefore:
    case kResetAfter:
    case kClientClockRate:
      history_.needs_healing = true;
      history_.disturbances.push_back({fault.process, now});
      break;
    case kClientClockJump:
      history_.disturbances.push_back({fault.process, now});
      [[fallthrough]];
    default:
      history_.last_fault = std::max(history_.last_fault, now);
      break;
  }
}

void Recorder::OnServerFault(const sim::Fault& fault, VirtualTime now) {
  using enum sim::FaultKind;
  const bool of_clock = fault.kind == kServerClockJump || fault.kind == kServerClockRate;
  const Duration length = of_clock ? Duration{} : std::max(fault.length, Duration{});
  for (int client = 0; client < static_cast<int>(clients_.size()); ++client) {
    sim::Fault felt = fault;
    felt.process = client;
    felt.length = length;
    OnDelay(felt, fault.kind == kServerPause, now);
  }
  // Connections to a machine without power are silent, and clocks run on at their rates.
  if (fault.kind == kServerPowerLoss || fault.kind == kFailover || fault.kind == kServerClockRate) {
    history_.needs_healing = true;
  }
}

void Recorder::OnDelay(const sim::Fault& fault, bool of_requests, VirtualTime now) {
  const Duration length = std::max(fault.length, Duration{});
  if (of_requests) {
    // Two delays of one message, or of a message and the one behind it, add up.
    VirtualTime from = now;
    for (const Delay& earlier : history_.delays) {
      if (earlier.client == fault.process) from = std::max(from, earlier.interval.to);
    }
    history_.delays.push_back({fault.process, {now, from + length + history_.lease / 100}});
  }
  history_.disturbances.push_back({fault.process, now});
  history_.last_fault = std::max(history_.last_fault, now + length);
}

void Recorder::OnServerChange(int node, sim::ServerChange change, VirtualTime now) {
  if (closed_) return;
  if (change == sim::ServerChange::kGone) return Ledger::Lose(now, node, history_);
  if (change == sim::ServerChange::kPromoted) {
    history_.supersessions.push_back({std::exchange(primary_, node), now});
  }
  const bool clock_only = change == sim::ServerChange::kClock;
  if (clock_only) history_.server_clock_moved = true;
  const Ledger::Look look = LookAtServer();
  for (ClientState& client : clients_) {
    client.extend_called_ms = std::min(client.extend_called_ms, look.now_ms);
  }
  if (observable_) Ledger::Rebase(now, look, clock_only, history_);
  seen_[static_cast<std::size_t>(node)] = {world_->server().mutations(),
                                           world_->server().changes()};
}

Duration Recorder::ClipFault(const sim::Fault& fault, Duration wanted, sim::VirtualTime now) {
  using enum sim::FaultKind;
  if (fault.kind == kServerClockJump) return free_clocks_ ? wanted : Duration{};
  if (fault.kind == kClientClockRate || fault.kind == kServerClockRate) {
    return free_clocks_ ? wanted : std::clamp(wanted, -kMostDrift, kMostDrift);
  }
  // Forward only: a validity ends early, which costs time and no safety.
  if (fault.kind == kClientClockJump) return wanted;
  if (fault.kind == kPauseClockFrozen && !free_clocks_) {
    // The clock loses as much as the pause is long, so it must fit into the allowance for drift.
    const ClientState& client = state(fault.process);
    const bool idle =
        client.doing == Doing::kNothing && client.believes_until <= now && !client.inside;
    if (!idle) wanted = std::min(wanted, history_.lease / 1000);
  }
  if (synchrony_ == SynchronyClass::kArbitrary) return wanted;
  if (synchrony_ == SynchronyClass::kNone) wanted = std::min(wanted, history_.lease / 100);
  return ClipPause(fault, wanted, now);
}

Duration Recorder::ClipPause(const sim::Fault& fault, Duration wanted, VirtualTime now) {
  using enum sim::FaultKind;
  const ClientState& client = state(fault.process);
  const VirtualTime until = client.believes_until;
  const bool relies = until > now && until != kOpen;
  if (fault.kind != kPause && fault.kind != kPauseClockFrozen && fault.kind != kExpiry) {
    return wanted;
  }
  if (synchrony_ == SynchronyClass::kNone) return wanted;
  // A client that relies on a validity must come back before its end, with time left to stop.
  if (relies) return std::min(wanted, (until - now) / 2);
  return until == now || client.inside ? Duration{} : wanted;
}

}  // namespace interlock::scenarios
