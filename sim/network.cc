// SPDX-License-Identifier: MIT
//
// The client's side of the network and the faults; what happens at the server is in delivery.cc.
#include "sim/network.h"

#include <algorithm>
#include <utility>

#include "sim/engine.h"

namespace interlock::sim {

namespace {

constexpr std::uint32_t kLatencySteps = 1024;

std::uint64_t HashArgv(const redis::Argv& argv, LongWordHashes& long_words) {
  std::uint64_t hash = HashNumber(argv.size(), 0);
  for (const std::string& argument : argv) {
    const bool is_long = argument.size() >= LongWordHashes::kLeast;
    hash = is_long ? long_words.Of(argument, hash) : HashBytes(argument, hash);
  }
  return hash;
}

}  // namespace

Network::Network(Engine& engine, NetworkMemory& memory)
    : engine_(engine),
      memory_(memory),
      links_(std::move(memory.links)),
      produced_(std::move(memory.produced)),
      elsewhere_(std::move(memory.elsewhere)) {
  constexpr std::size_t kFewClients = 8;
  for (int node = 0; node < engine.servers.count(); ++node) {
    nodes_.push_back(std::make_unique<NodeState>(*this, node));
    nodes_.back()->clients.reserve(kFewClients);
    engine.servers.at(node).SetSink(nodes_.back().get());
  }
}

Network::~Network() {
  for (std::unique_ptr<Link>& link : links_) memory_.pool.Give(std::move(link));
  links_.clear();
  elsewhere_.clear();
  memory_.links = std::move(links_);
  memory_.produced = std::move(produced_);
  memory_.elsewhere = std::move(elsewhere_);
}

Duration Network::Latency(const Process& process) {
  const Duration spread = engine_.options.latency_max - engine_.options.latency_min;
  if (spread.count() <= 0) return engine_.options.latency_min;
  const std::int64_t u = engine_.choices.PickLatency(process.id, kLatencySteps);
  constexpr std::int64_t kMost = kLatencySteps - 1;
  return engine_.options.latency_min + Duration(spread.count() * u / kMost * u / kMost * u / kMost);
}

Request& Network::PushRequest(Link& link, Request::Kind kind) {
  Request& request = link.requests.PushBack();
  request.kind = kind;
  request.arrival = VirtualTime::max();
  request.reply_faults.clear();
  return request;
}

// Gives the last request of the link its arrival.
void Network::Dispatch(Link& link, Duration extra) {
  Request& request = link.requests[link.requests.size() - 1];
  const VirtualTime travelled = engine_.now() + Latency(*link.process) + extra;
  request.arrival =
      std::max(link.last_request_arrival, HeldBack(link, Direction::kToServer, travelled));
  link.last_request_arrival = request.arrival;
  ++requests_under_way_;
  if (link.request_timer == kNoTimer) ArmRequests(link);
}

VirtualTime Network::HeldBack(Link& link, Direction direction, VirtualTime arrival) {
  for (const Partition& partition : link.process->partitions) {
    const bool blocked =
        direction == Direction::kToServer ? partition.to_server : partition.from_server;
    if (!blocked || partition.node != link.node || partition.until <= arrival) continue;
    arrival = partition.until;
    link.delayed = true;
  }
  return arrival;
}

void Network::HoldBackUnderWay(Process& process) {
  for (const std::unique_ptr<Link>& one : links_) {
    Link& link = *one;
    if (link.process != &process) continue;
    for (std::size_t i = link.arrived; i < link.requests.size(); ++i) {
      VirtualTime& arrival = link.requests[i].arrival;
      arrival = HeldBack(link, Direction::kToServer, arrival);
      if (arrival != VirtualTime::max()) link.last_request_arrival = arrival;
    }
    for (std::size_t i = link.delivered; i < link.messages.size(); ++i) {
      VirtualTime& arrival = link.messages[i].arrival;
      arrival = link.last_message_arrival = HeldBack(link, Direction::kFromServer, arrival);
    }
    RearmLink(link);
  }
}

void Network::RearmLink(Link& link) {
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

void Network::ArmRequests(Link& link) {
  if (link.arrived == link.requests.size()) return;
  const VirtualTime arrival = link.requests[link.arrived].arrival;
  if (arrival == VirtualTime::max()) return;
  link.request_timer = engine_.scheduler.timers().Add(arrival, {TimerKind::kRequest, link.id});
}

void Network::ArmMessages(Link& link) {
  if (link.delivered == link.messages.size()) return;
  link.message_timer = engine_.scheduler.timers().Add(link.messages[link.delivered].arrival,
                                                      {TimerKind::kMessage, link.id});
}

Network::Fate Network::TakeArmedFaults(Link& link, Request& request) {
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

bool Network::SendLast(Link& link, const Fate& fate) {
  if (fate.reset) {
    link.requests.PopBack();
    link.broke = "reset";
    return false;
  }
  if (fate.lost) Cut(link);
  if (!link.silent) Dispatch(link, fate.extra);
  return true;
}

Duration Network::TakeArmedDelays(Process& process) {
  Duration extra{};
  std::erase_if(process.armed, [&](Fault& fault) {
    if (fault.kind != FaultKind::kDelayRequest) return false;
    fault.length = engine_.Clip(fault, fault.length);
    if (fault.length.count() <= 0) return true;
    extra += fault.length;
    engine_.ReportFault(process, fault);
    return true;
  });
  return extra;
}

void Network::TravelElsewhere(Process& process, VirtualTime latest, std::function<void()> arrive) {
  const Duration extra = process.armed.empty() ? Duration{} : TakeArmedDelays(process);
  const VirtualTime now = engine_.now();
  const VirtualTime arrival = std::max(now, std::min(latest, now + Latency(process) + extra));
  const auto number = static_cast<std::uint32_t>(elsewhere_.size());
  const TimerId timer = engine_.scheduler.timers().Add(arrival, {TimerKind::kElsewhere, number});
  elsewhere_.push_back({process.id, arrival, timer, std::move(arrive)});
  ++elsewhere_under_way_;
}

void Network::ArriveElsewhere(std::uint32_t number) {
  engine_.footprint.TouchAll();
  Elsewhere& arrived = elsewhere_[number];
  arrived.timer = kNoTimer;
  --elsewhere_under_way_;
  const std::function<void()> arrive = std::exchange(arrived.arrive, nullptr);
  arrive();
}

std::vector<VirtualTime> Network::UnderWayElsewhere(const Process& process) const {
  std::vector<VirtualTime> arrivals;
  for (const Elsewhere& one : elsewhere_) {
    if (one.process == process.id && one.timer != kNoTimer) arrivals.push_back(one.arrival);
  }
  return arrivals;
}

Link& Network::Open(Process& process, int node) {
  links_.push_back(memory_.pool.Take());
  Link& link = *links_.back();
  link.id = static_cast<std::uint32_t>(links_.size() - 1);
  link.process = &process;
  link.node = node;
  Request& request = PushRequest(link, Request::Kind::kOpen);
  Fate fate;
  if (!process.armed.empty()) fate = TakeArmedFaults(link, request);
  if (!SendLast(link, fate)) link.silent = true;  // The server never hears of it.
  process.last_link = &link;
  return link;
}

bool Network::Send(Link& link, std::span<const std::string_view> argv) {
  Request& request = PushRequest(link, Request::Kind::kCommand);
  memory_.spare_words.Resize(request.argv, argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i) request.argv[i].assign(argv[i]);
  if (engine_.trace.hashed()) request.hash = HashArgv(request.argv, memory_.long_words);
  Process& process = *link.process;
  process.last_link = &link;
  request.number = ++process.commands_sent;
  engine_.trace.AddLazily(engine_.now(), process.id, TraceKind::kSend, request.hash, request.number,
                          [&request] { return redis::ToText(request.argv); });
  engine_.observer->OnSend(process.id, request.number, engine_.now());
  Fate fate;
  if (!process.armed.empty()) fate = TakeArmedFaults(link, request);
  if (SendLast(link, fate)) return true;
  if (!link.silent) SendClose(link);
  return false;
}

void Network::PopMessage(Link& link) {
  if (link.messages.front().kind == Message::Kind::kReply) {
    link.requests.PopFront();
    --link.arrived;
    --link.executed;
  }
  link.messages.PopFront();
  --link.delivered;
  link.process->last_link = &link;
}

void Network::SendClose(Link& link) {
  if (link.close_sent) return;
  link.close_sent = true;
  if (link.established && !link.server_open) return;  // The server closed first.
  PushRequest(link, Request::Kind::kClose);
  Dispatch(link, Duration{});
}

void Network::EndSending(Link& link) {
  if (link.silent || link.broke != nullptr || engine_.scheduler.tearing_down()) return;
  SendClose(link);
}

void Network::CloseFromClient(Link& link) {
  if (link.client_gone || engine_.scheduler.tearing_down()) return;
  link.client_gone = true;
  engine_.scheduler.timers().Cancel(link.message_timer);
  engine_.scheduler.timers().Cancel(link.client_break_timer);
  if (!link.silent) SendClose(link);
}

void Network::DropUnderWay(Link& link) {
  while (link.requests.size() > link.arrived) {
    if (link.requests[link.requests.size() - 1].arrival != VirtualTime::max()) {
      --requests_under_way_;
    }
    link.requests.PopBack();
  }
  engine_.scheduler.timers().Cancel(link.request_timer);
}

void Network::Crash(Process& process) {
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->process != &process || link->client_gone) continue;
    link->client_gone = true;
    link->reader = nullptr;
    engine_.scheduler.timers().Cancel(link->message_timer);
    engine_.scheduler.timers().Cancel(link->client_break_timer);
    if (link->silent || link->close_sent || (link->established && !link->server_open)) continue;
    switch (engine_.choices.Draw(Lane::kFault, 3)) {
      case 0:  // The kernel still sends what was written, and then closes.
        SendClose(*link);
        break;
      case 1:  // What was written is lost with the machine, and something resets for it.
        DropUnderWay(*link);
        SendClose(*link);
        break;
      default:  // The machine is gone; nobody tells the server.
        Cut(*link);
        break;
    }
  }
}

void Network::Cut(Link& link) {
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

bool Network::IsLive(const Link& link) const {
  return link.established && link.server_open && !link.client_gone && !link.close_sent &&
         !link.silent && link.broke == nullptr;
}

Link* Network::LiveLink(const Process& process) const {
  if (process.last_link != nullptr && IsLive(*process.last_link)) return process.last_link;
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    if ((*link)->process == &process && IsLive(**link)) return link->get();
  }
  return nullptr;
}

bool Network::HasLiveConnection(const Process& process) const {
  return !process.crashed && LiveLink(process) != nullptr;
}

void Network::Heal() {
  for (const std::unique_ptr<Link>& link : links_) HealLink(*link);
  TimerQueue& timers = engine_.scheduler.timers();
  for (std::uint32_t number = 0; number < elsewhere_.size(); ++number) {
    Elsewhere& one = elsewhere_[number];
    if (one.timer == kNoTimer) continue;
    timers.Cancel(one.timer);
    one.arrival = engine_.now();
    one.timer = timers.Add(one.arrival, {TimerKind::kElsewhere, number});
  }
  UpdateServerTimer();
}

void Network::HealLink(Link& link) {
  TimerQueue& timers = engine_.scheduler.timers();
  for (std::size_t i = 0; i < link.requests.size(); ++i) link.requests[i].reply_faults.clear();
  if (link.silent) {
    DropUnderWay(link);
    timers.Cancel(link.server_close_timer);
    timers.Cancel(link.client_break_timer);
    CloseAtServer(link);
    BreakClient(link, "reset");
    return;
  }
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
  RearmLink(link);
}

void Network::BreakClient(Link& link, const char* why) {
  if (link.client_gone || link.broke != nullptr) return;
  link.broke = why;
  if (link.reader != nullptr) engine_.scheduler.MakeReady(link.reader);
}

}  // namespace interlock::sim
