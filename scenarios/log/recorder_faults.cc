// SPDX-License-Identifier: MIT
//
// What a recorder makes of faults: who may have felt them, how long they may be in this synchrony
// class, and what they do to what the servers hold.
#include <algorithm>
#include <span>
#include <utility>

#include "scenarios/log/recorder.h"

namespace interlock::scenarios {
namespace {

bool IsOfServers(const sim::FaultInfo& fault) {
  const bool of_clock = fault.family == sim::FaultFamily::kClock && fault.uses_node;
  return of_clock || fault.family == sim::FaultFamily::kServer ||
         fault.family == sim::FaultFamily::kAdmin;
}

/// What the client's grants last, if that is much less than it asks for: some milliseconds more or
/// less are a matter of how it is shown.
Duration LeaseGranted(std::span<const Recorder::Resource> resources, int client, Duration asked) {
  std::int64_t shortest_ms = asked / std::chrono::milliseconds(1);
  const std::int64_t much_less_ms = shortest_ms * 15 / 16;
  for (const Recorder::Resource& resource : resources) {
    for (const ServerHold& entry : resource.history.server_holds) {
      const bool much_less = entry.leased_ms > 0 && entry.leased_ms < much_less_ms;
      if (entry.client == client && much_less) shortest_ms = std::min(shortest_ms, entry.leased_ms);
    }
  }
  return std::chrono::milliseconds(shortest_ms);
}

}  // namespace

bool Recorder::AnyDealing(Users::Range clients,
                          bool (*holds)(const Dealing& one, VirtualTime now)) const {
  const auto at = [this](int client) {
    return dealings_.begin() +
           static_cast<std::ptrdiff_t>(static_cast<std::size_t>(client) * resources_.size());
  };
  const VirtualTime now = world_->now();
  return std::any_of(at(clients.first), at(clients.last + 1),
                     [&](const Dealing& dealing) { return holds(dealing, now); });
}

void Recorder::NoteServed(int process, VirtualTime now) {
  for (Resource& resource : resources_) {
    for (Death& death : resource.history.deaths) {
      if (users_.ProcessOf(death.client) == process) death.last_served = now;
    }
  }
}

void Recorder::OnFault(const sim::Fault& fault, sim::VirtualTime now) {
  using enum sim::FaultKind;
  if (closed_) return;
  ++faults_;
  struck_.set(static_cast<std::size_t>(fault.kind));
  if (IsOfServers(*sim::FindFault(fault.kind))) return OnServerFault(fault, now);
  const VirtualTime end = now + std::max(fault.length, Duration{});
  const auto each = [this](const auto& change) {
    for (Resource& resource : resources_) change(resource.history);
  };
  const auto each_user = [&](const auto& then) { users_.ForEach(fault.process, then); };
  const auto delay = [&](bool of_requests) {
    each_user([&](int client) { OnDelay(client, fault.length, of_requests, now); });
  };
  const auto disturb = [&](bool unheard) {
    each([&](History& history) {
      each_user([&](int client) { history.disturbances.push_back({client, now, unheard}); });
    });
  };
  switch (fault.kind) {
    case kCrash:
    case kRestart:
    case kRestartSameIdentity:
      each([&](History& history) {
        each_user([&](int client) { history.deaths.push_back({client, now}); });
        history.last_fault = std::max(history.last_fault, end);
      });
      break;
    case kPause:
    case kPauseClockFrozen:
    case kExpiry:
      if (AnyDealing(users_.Of(fault.process),
                     [](const Dealing& one, VirtualTime) { return one.inside; })) {
        goals_.Add(Goal::kPausedInSection);
      }
      each([&](History& history) {
        each_user([&](int client) { history.pauses.push_back({client, now}); });
      });
      delay(false);
      break;
    case kDelayRequest:
    case kPartition:
    case kPartitionToServer:
      delay(true);
      break;
    case kDelayReply:
    case kPartitionFromServer:
      delay(false);
      break;
    case kHalfOpen:
      state(fault.process).silent = true;
      [[fallthrough]];
    case kLostRequest:
    case kLostReply:
    case kResetBefore:
    case kResetAfter:
    case kClientClockRate:
      each([](History& history) { history.needs_healing = true; });
      disturb(fault.kind != kResetBefore && fault.kind != kResetAfter);
      break;
    case kClientClockJump:
      // What was on its way arrives when its client has given it up already.
      each_user([&](int client) { HoldUp(client, Duration{}, now); });
      disturb(true);
      [[fallthrough]];
    default:
      each([&](History& history) { history.last_fault = std::max(history.last_fault, now); });
      break;
  }
}

void Recorder::OnServerFault(const sim::Fault& fault, VirtualTime now) {
  using enum sim::FaultKind;
  const bool of_clock = fault.kind == kServerClockJump || fault.kind == kServerClockRate;
  const Duration length = of_clock ? Duration{} : std::max(fault.length, Duration{});
  for (int client = 0; client < static_cast<int>(clients_.size()); ++client) {
    OnDelay(client, length, fault.kind == kServerPause, now);
  }
  // Connections to a machine without power are silent, and clocks run on at their rates.
  if (fault.kind == kServerPowerLoss || fault.kind == kFailover || fault.kind == kServerClockRate) {
    for (Resource& resource : resources_) resource.history.needs_healing = true;
  }
}

void Recorder::OnDelay(int client, Duration length, bool of_requests, VirtualTime now) {
  length = std::max(length, Duration{});
  if (of_requests) HoldUp(client, length, now);
  for (Resource& resource : resources_) {
    History& history = resource.history;
    history.disturbances.push_back({client, now});
    history.outages.push_back({client, {now, now + length}});
    history.last_fault = std::max(history.last_fault, now + length);
  }
}

void Recorder::HoldUp(int client, Duration length, VirtualTime now) {
  for (Resource& resource : resources_) {
    History& history = resource.history;
    // Two delays of one message, or of a message and the one behind it, add up.
    VirtualTime from = now;
    for (const Delay& earlier : history.delays) {
      if (earlier.client == client) from = std::max(from, earlier.interval.to);
    }
    history.delays.push_back({client, {now, from + length + history.lease / 100}});
  }
}

void Recorder::OnServerChange(int node, sim::ServerChange change, VirtualTime now) {
  if (closed_) return;
  if (change == sim::ServerChange::kPromoted) {
    const int superseded = std::exchange(primary_, node);
    for (Resource& resource : resources_) {
      resource.history.supersessions.push_back({superseded, now});
    }
  }
  const bool clock_only = change == sim::ServerChange::kClock;
  for (Resource& resource : resources_) {
    resource.history.server_changed = true;
    if (change == sim::ServerChange::kGone) {
      Ledger::Lose(now, node, resource.history);
      continue;
    }
    if (clock_only) resource.history.server_clock_moved = true;
  }
  if (change != sim::ServerChange::kGone) Rebase(clock_only, now);
}

void Recorder::BeforeCommand(int /*process*/, const sim::redis::Argv& /*argv*/,
                             sim::VirtualTime now) {
  if (closed_) return;
  // What replication or expiry has done since the last one is not this one's doing.
  const SeenServer& seen = seen_[static_cast<std::size_t>(world_->server_node())];
  const bool changed = world_->server().mutations() != seen.mutations;
  if (changed || traits_.lasts_as_connection) Rebase(false, now);
}

void Recorder::Rebase(bool clock_only, VirtualTime now) {
  for (Resource& resource : resources_) {
    const Ledger::Look& look = LookAtServer(resource);
    for (Dealing& client : dealings_) {
      client.extend_called_ms = std::min(client.extend_called_ms, look.now_ms);
    }
    // An entry that has gone with its connection has lasted for as long as it was to.
    const bool kept = clock_only || traits_.lasts_as_connection;
    if (resource.observable) Ledger::Rebase(now, look, kept, resource.history);
  }
  const sim::redis::Server& server = world_->server();
  seen_[static_cast<std::size_t>(world_->server_node())] = {server.mutations(), server.changes()};
}

void Recorder::OnRestart(int process, sim::VirtualTime /*now*/) {
  if (closed_) return;
  users_.ForEach(process, [this](int client) {
    state(client) = ClientState{};
    for (int i = 0; i < static_cast<int>(resources_.size()); ++i) dealing({client, i}) = Dealing{};
  });
}

void Recorder::OnClockChange(int process, sim::VirtualTime now) {
  if (closed_) return;
  users_.ForEach(process, [&](int client) {
    for (int i = 0; i < static_cast<int>(resources_.size()); ++i) SeeClockChange({client, i}, now);
  });
}

void Recorder::SeeClockChange(Party who, VirtualTime now) {
  Dealing& client = dealing(who);
  if (client.doing == Doing::kAsking && history(who).attempts[client.attempt].deadline != kOpen) {
    // A jump that brings the deadline nearer is noticed when the wait ends that has begun already.
    VirtualTime& deadline = history(who).attempts[client.attempt].deadline;
    deadline = std::max(deadline, GlobalTime(who.client, client.gives_up));
  }
  if (client.believes_until <= now) return;
  client.believes_until = std::max(now, GlobalTime(who.client, client.valid_until));
  if (client.valid_end > now) client.valid_end = client.believes_until;
  Interval& belief = hold(who).belief.back();
  if (belief.to > now) belief.to = client.believes_until;
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
    const bool busy = AnyDealing(users_.Of(fault.process), [](const Dealing& one, VirtualTime at) {
      return one.doing != Doing::kNothing || one.believes_until > at || one.inside;
    });
    // A lock that renews by itself counts on its clock for as long as it has not been given back.
    const bool renews =
        traits_.renews && AnyDealing(users_.Of(fault.process), [](const Dealing& one, VirtualTime) {
          return one.believes_until >= VirtualTime{};
        });
    if (busy || renews) wanted = std::min(wanted, lease() / 1000);
  }
  if (synchrony_ == SynchronyClass::kArbitrary) return wanted;
  if (synchrony_ == SynchronyClass::kNone) {
    users_.ForEach(fault.process, [&](int client) {
      wanted = std::min(wanted, LeaseGranted(resources_, client, lease()) / 100);
    });
  }
  return ClipPause(fault, wanted, now);
}

Duration Recorder::ClipPause(const sim::Fault& fault, Duration wanted, VirtualTime now) const {
  using enum sim::FaultKind;
  if (fault.kind != kPause && fault.kind != kPauseClockFrozen && fault.kind != kExpiry) {
    return wanted;
  }
  if (synchrony_ == SynchronyClass::kNone) return wanted;
  const Users::Range users = users_.Of(fault.process);
  const std::size_t from = static_cast<std::size_t>(users.first) * resources_.size();
  const std::size_t to = static_cast<std::size_t>(users.last + 1) * resources_.size();
  for (const Dealing& client : std::span(dealings_).subspan(from, to - from)) {
    const VirtualTime until = client.believes_until;
    if (until > now && until != kOpen) {
      // A client that relies on a validity must come back before its end, with time left to stop.
      wanted = std::min(wanted, (until - now) / 2);
    } else if (until == now || client.inside) {
      return Duration{};
    }
  }
  return wanted;
}

void Recorder::MarkHealed() {
  for (Resource& resource : resources_) resource.history.healed = world_->now();
}

}  // namespace interlock::scenarios
