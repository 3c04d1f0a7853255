// SPDX-License-Identifier: MIT
#include "sim/transit.h"

#include <algorithm>

#include "sim/check.h"
#include "sim/engine.h"

namespace interlock::sim {

namespace {

constexpr std::uint32_t kLatencySteps = 1024;

}  // namespace

Duration Transit::Latency(const Process& process) {
  const Duration spread = engine_.options.latency_max - engine_.options.latency_min;
  if (spread.count() <= 0) return engine_.options.latency_min;
  const std::int64_t u = engine_.choices.PickLatency(process.id, kLatencySteps);
  constexpr std::int64_t kMost = kLatencySteps - 1;
  return engine_.options.latency_min + Duration(spread.count() * u / kMost * u / kMost * u / kMost);
}

Request& Transit::PushRequest(Link& link, Request::Kind kind) {
  Request& request = link.requests.PushBack();
  request.kind = kind;
  request.arrival = VirtualTime::max();
  request.reply_faults.clear();
  return request;
}

// Sets the arrival time of the link's last request.
void Transit::Dispatch(Link& link, Duration extra) {
  Request& request = link.requests[link.requests.size() - 1];
  const VirtualTime travelled = engine_.now() + Latency(*link.process) + extra;
  request.arrival =
      std::max(link.last_request_arrival, HeldBack(link, Direction::kToServer, travelled));
  link.last_request_arrival = request.arrival;
  ++requests_under_way_;
  if (link.request_timer == kNoTimer) ArmRequests(link);
}

VirtualTime Transit::HeldBack(Link& link, Direction direction, VirtualTime arrival) {
  for (const Partition& partition : link.process->partitions) {
    const bool blocked =
        direction == Direction::kToServer ? partition.to_server : partition.from_server;
    if (!blocked || partition.node != link.node || partition.until <= arrival) continue;
    arrival = partition.until;
    link.delayed = true;
  }
  return arrival;
}

void Transit::HoldBack(Link& link) {
  for (std::size_t i = link.arrived; i < link.requests.size(); ++i) {
    VirtualTime& arrival = link.requests[i].arrival;
    arrival = HeldBack(link, Direction::kToServer, arrival);
    if (arrival != VirtualTime::max()) link.last_request_arrival = arrival;
  }
  for (std::size_t i = link.delivered; i < link.messages.size(); ++i) {
    VirtualTime& arrival = link.messages[i].arrival;
    arrival = link.last_message_arrival = HeldBack(link, Direction::kFromServer, arrival);
  }
  Rearm(link);
}

void Transit::Hasten(Link& link) {
  if (!link.delayed) return;
  const VirtualTime now = engine_.now();
  for (std::size_t i = link.arrived; i < link.requests.size(); ++i) {
    link.requests[i].arrival = std::min(link.requests[i].arrival, now);
  }
  for (std::size_t i = link.delivered; i < link.messages.size(); ++i) {
    link.messages[i].arrival = std::min(link.messages[i].arrival, now);
  }
  link.last_request_arrival = std::min(link.last_request_arrival, now);
  link.last_message_arrival = std::min(link.last_message_arrival, now);
  Rearm(link);
}

void Transit::Rearm(Link& link) {
  TimerQueue& timers = engine_.scheduler.timers();
  if (link.request_timer != kNoTimer) {
    timers.Cancel(link.request_timer);
    ArmRequests(link);
  }
  if (link.message_timer != kNoTimer) {
    timers.Cancel(link.message_timer);
    ArmMessages(link);
  }
}

void Transit::ArmRequests(Link& link) {
  if (link.arrived == link.requests.size()) return;
  const VirtualTime arrival = link.requests[link.arrived].arrival;
  if (arrival == VirtualTime::max()) return;
  link.request_timer = engine_.scheduler.timers().Add(arrival, {TimerKind::kRequest, link.id});
}

void Transit::ArmMessages(Link& link) {
  if (link.delivered == link.messages.size()) return;
  link.message_timer = engine_.scheduler.timers().Add(link.messages[link.delivered].arrival,
                                                      {TimerKind::kMessage, link.id});
}

Fate Transit::TakeArmedFaults(Link& link, Request& request) {
  Fate fate;
  for (Fault& fault : link.process->armed) {
    switch (fault.kind) {
      case FaultKind::kDelayRequest:
        fault.length = engine_.Clip(fault, fault.length);
        if (fault.length.count() <= 0) continue;
        fate.extra += fault.length;
        link.delayed = true;
        break;
      case FaultKind::kResetBefore:
        fate.reset = !fate.lost;
        break;
      case FaultKind::kLostRequest:
      case FaultKind::kHalfOpen:
        fate.lost = !fate.reset;
        break;
      default:
        request.reply_faults.push_back(fault);
        continue;
    }
    engine_.ReportFault(*link.process, fault);
  }
  link.process->armed.clear();
  return fate;
}

// Takes the faults that wait for the reply to the request that the server executed last.
Fate Transit::TakeReplyFaults(Link& link) {
  Fate fate;
  std::vector<Fault>& faults = link.requests[link.executed - 1].reply_faults;
  if (faults.empty() || link.silent || link.client_gone) return fate;
  for (Fault& fault : faults) {
    if (fault.kind == FaultKind::kDelayReply) {
      fault.length = engine_.Clip(fault, fault.length);
      if (fault.length.count() <= 0) continue;
      fate.extra += fault.length;
      link.delayed = true;
    } else if (fault.kind == FaultKind::kLostReply) {
      fate.lost = !fate.reset;
    } else {
      Require(fault.kind == FaultKind::kResetAfter, "a fault of links does nothing");
      fate.reset = !fate.lost;
    }
    engine_.ReportFault(*link.process, fault);
  }
  faults.clear();
  return fate;
}

bool Transit::SendLast(Link& link, const Fate& fate) {
  if (fate.reset) {
    link.requests.PopBack();
    link.broke = "reset";
    return false;
  }
  if (fate.lost) Cut(link);
  if (!link.silent) Dispatch(link, fate.extra);
  return true;
}

void Transit::SendClose(Link& link) {
  if (link.close_sent) return;
  link.close_sent = true;
  if (link.established && !link.server_open) return;  // The server closed first.
  PushRequest(link, Request::Kind::kClose);
  Dispatch(link, Duration{});
}

void Transit::SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                          Duration extra, std::uint64_t number) {
  if (link.silent || link.client_gone || link.broke != nullptr) return;
  Message& message = link.messages.PushBack();
  message.kind = kind;
  message.hash = hash;
  message.number = number;
  message.protocol = link.protocol;
  if (value != nullptr) message.value.Swap(*value);
  const VirtualTime travelled = engine_.now() + Latency(*link.process) + extra;
  message.arrival =
      std::max(link.last_message_arrival, HeldBack(link, Direction::kFromServer, travelled));
  link.last_message_arrival = message.arrival;
  if (link.message_timer == kNoTimer) ArmMessages(link);
}

void Transit::TakeArrived(Link& link) {
  link.request_timer = kNoTimer;
  const VirtualTime now = engine_.now();
  while (link.arrived < link.requests.size() && link.requests[link.arrived].arrival <= now) {
    ++link.arrived;
    --requests_under_way_;
  }
  ArmRequests(link);
}

void Transit::TakeDelivered(Link& link) {
  link.message_timer = kNoTimer;
  const VirtualTime now = engine_.now();
  while (link.delivered < link.messages.size() && link.messages[link.delivered].arrival <= now) {
    const Message::Kind kind = link.messages[link.delivered++].kind;
    if (kind == Message::Kind::kReset) link.broke = "reset";
    if (kind == Message::Kind::kClosed) link.broke = "closed by the server";
  }
  ArmMessages(link);
  if (link.reader != nullptr) engine_.scheduler.MakeReady(link.reader);
}

void Transit::DropUnderWay(Link& link) {
  while (link.requests.size() > link.arrived) {
    if (link.requests[link.requests.size() - 1].arrival != VirtualTime::max()) {
      --requests_under_way_;
    }
    link.requests.PopBack();
  }
  engine_.scheduler.timers().Cancel(link.request_timer);
}

void Transit::Cut(Link& link) {
  if (link.silent) return;
  link.silent = true;
  link.silent_since = engine_.now();
  TimerQueue& timers = engine_.scheduler.timers();
  const VirtualTime noticed = engine_.now() + engine_.options.keepalive;
  if (!link.client_gone) {
    link.client_break_timer = timers.Add(noticed, {TimerKind::kClientBreak, link.id});
  }
  link.server_close_timer = timers.Add(noticed, {TimerKind::kServerClose, link.id});
}

void Transit::BreakClient(Link& link, const char* why) {
  if (link.client_gone || link.broke != nullptr) return;
  link.broke = why;
  if (link.reader != nullptr) engine_.scheduler.MakeReady(link.reader);
}

}  // namespace interlock::sim
