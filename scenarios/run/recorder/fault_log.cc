// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/fault_log.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace interlock::scenarios {
namespace {

bool IsOfServers(const sim::FaultInfo& fault) {
  const bool of_clock = fault.family == sim::FaultFamily::kClock && fault.uses_node;
  return of_clock || fault.family == sim::FaultFamily::kServer ||
         fault.family == sim::FaultFamily::kAdmin;
}

}  // namespace

void FaultLog::OnFault(const sim::Fault& fault, VirtualTime now) {
  if (log_.closed) return;
  ++count_;
  struck_.set(static_cast<std::size_t>(fault.kind));
  const sim::FaultInfo& info = *sim::FindFault(fault.kind);
  if (log_.keeps_events()) Keep(info, fault, now);
  if (IsOfServers(info)) {
    OnServerFault(info, fault, now);
  } else {
    OnClientFault(info.effect, fault, now);
  }
}

void FaultLog::Keep(const sim::FaultInfo& info, const sim::Fault& fault, VirtualTime now) {
  const bool dies = info.effect == sim::FaultEffect::kDeath;
  const bool stops = info.effect == sim::FaultEffect::kStops && !IsOfServers(info);
  if (!dies && !stops) {
    const VirtualTime until = now + std::max(fault.length, Duration{});
    log_.events.push_back({now, now, -1, 0, EventKind::kFault,
                           FaultDetails{std::string(sim::ToString(fault.kind)), until}});
    return;
  }
  for (int resource = 0; resource < static_cast<int>(log_.resources.size()); ++resource) {
    log_.users.ForEach(fault.process, [&](int client) {
      if (dies) {
        log_.events.push_back({now, now, client, resource, EventKind::kDied, EndDetails{}});
        return;
      }
      log_.events.push_back(
          {now, now, client, resource, EventKind::kStops, StopDetails{fault.length}});
      const VirtualTime on = now + fault.length;
      log_.events.push_back({on, on, client, resource, EventKind::kGoesOn});
    });
  }
}

void FaultLog::OnClientFault(sim::FaultEffect effect, const sim::Fault& fault, VirtualTime now) {
  using enum sim::FaultEffect;
  switch (effect) {
    case kDeath:
      OnDeath(fault, now);
      break;
    case kStops:
    case kStopsWithClock:
      OnPause(fault, now);
      break;
    case kLateRequests:
      DelayUsers(fault, true, now);
      break;
    case kLateReplies:
      DelayUsers(fault, false, now);
      break;
    case kSilence:
      log_.state(fault.process).silent = true;
      [[fallthrough]];
    case kLoss:
    case kReset:
    case kClockRate:
      for (RecordedResource& resource : log_.resources) resource.history.needs_healing = true;
      Disturb(fault.process, effect != kReset, now);
      break;
    case kClockJump:
      // Messages in flight arrive when their client has already given up on them.
      log_.users.ForEach(fault.process, [&](int client) { HoldUp(client, Duration{}, now); });
      Disturb(fault.process, true, now);
      [[fallthrough]];
    case kNone:
    case kUnserved:
    case kUnservedAndSilent:
      EndsAt(now);
      break;
  }
}

void FaultLog::OnDeath(const sim::Fault& fault, VirtualTime now) {
  for (RecordedResource& resource : log_.resources) {
    log_.users.ForEach(fault.process, [&](int client) {
      resource.history.deaths.push_back({client, now});
    });
  }
  EndsAt(now + std::max(fault.length, Duration{}));
}

void FaultLog::OnPause(const sim::Fault& fault, VirtualTime now) {
  const std::span<const Dealing> dealings = log_.DealingsOf(log_.users.Of(fault.process));
  if (std::ranges::any_of(dealings, [](const Dealing& one) { return one.inside; })) {
    log_.goals.Add(Goal::kPausedInSection);
  }
  for (RecordedResource& resource : log_.resources) {
    log_.users.ForEach(fault.process, [&](int client) {
      resource.history.pauses.push_back({client, now});
    });
  }
  DelayUsers(fault, false, now);
}

void FaultLog::OnServerFault(const sim::FaultInfo& info, const sim::Fault& fault, VirtualTime now) {
  using enum sim::FaultEffect;
  const bool of_clock = info.effect == kClockJump || info.effect == kClockRate;
  const Duration length = of_clock ? Duration{} : std::max(fault.length, Duration{});
  for (int client = 0; client < static_cast<int>(log_.clients.size()); ++client) {
    NoteDelay(client, length, info.effect == kStops, now);
  }
  // Only healing ends these: connections to a machine without power are silent, and clocks run on
  // at their rates.
  if (info.effect == kUnservedAndSilent || info.effect == kClockRate) {
    for (RecordedResource& resource : log_.resources) resource.history.needs_healing = true;
  }
}

void FaultLog::EndsAt(VirtualTime end) {
  for (RecordedResource& resource : log_.resources) {
    resource.history.last_fault = std::max(resource.history.last_fault, end);
  }
}

void FaultLog::Disturb(int process, bool unheard, VirtualTime now) {
  for (RecordedResource& resource : log_.resources) {
    log_.users.ForEach(process, [&](int client) {
      resource.history.disturbances.push_back({client, now, unheard});
    });
  }
}

void FaultLog::DelayUsers(const sim::Fault& fault, bool of_requests, VirtualTime now) {
  log_.users.ForEach(fault.process, [&](int client) {
    NoteDelay(client, std::max(fault.length, Duration{}), of_requests, now);
  });
}

void FaultLog::NoteDelay(int client, Duration length, bool of_requests, VirtualTime now) {
  if (of_requests) HoldUp(client, length, now);
  for (RecordedResource& resource : log_.resources) {
    History& history = resource.history;
    history.disturbances.push_back({client, now});
    history.outages.push_back({client, {now, now + length}});
  }
  EndsAt(now + length);
}

void FaultLog::HoldUp(int client, Duration length, VirtualTime now) {
  for (RecordedResource& resource : log_.resources) {
    History& history = resource.history;
    // Delays of the same message, or of a message and the next one, add up.
    VirtualTime from = now;
    for (const Delay& earlier : history.delays) {
      if (earlier.client == client) from = std::max(from, earlier.interval.to);
    }
    history.delays.push_back({client, {now, from + length + history.lease / 100}});
  }
}

void FaultLog::OnServerChange(int node, sim::ServerChange change, VirtualTime now) {
  if (log_.closed) return;
  if (change == sim::ServerChange::kPromoted) {
    const int superseded = std::exchange(primary_, node);
    for (RecordedResource& resource : log_.resources) {
      resource.history.supersessions.push_back({superseded, now});
    }
  }
  for (RecordedResource& resource : log_.resources) {
    resource.history.server_changed = true;
    if (change == sim::ServerChange::kClock) resource.history.server_clock_moved = true;
  }
}

void FaultLog::OnRestart(int process) {
  if (log_.closed) return;
  log_.users.ForEach(process, [this](int client) {
    log_.state(client) = ClientState{};
    for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
      log_.dealing({client, i}) = Dealing{};
    }
  });
}

void FaultLog::OnClockChange(int process, VirtualTime now) {
  if (log_.closed) return;
  log_.users.ForEach(process, [&](int client) {
    for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
      SeeClockChange({client, i}, now);
    }
  });
}

void FaultLog::SeeClockChange(Party who, VirtualTime now) {
  Dealing& client = log_.dealing(who);
  if (client.doing == Doing::kAsking) {
    VirtualTime& deadline = log_.history(who).attempts[client.attempt].deadline;
    // A jump that brings the deadline nearer is noticed only when the wait in progress ends.
    if (deadline != kOpen) {
      deadline = std::max(deadline, log_.GlobalTime(who.client, client.gives_up));
    }
  }
  if (client.believes_until <= now) return;
  client.believes_until = std::max(now, log_.GlobalTime(who.client, client.valid_until));
  if (client.valid_end > now) client.valid_end = client.believes_until;
  Interval& belief = log_.hold(who).belief.back();
  if (belief.to > now) belief.to = client.believes_until;
}

}  // namespace interlock::scenarios
