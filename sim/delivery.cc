// SPDX-License-Identifier: MIT
//
// The servers' side of the network: arrivals, execution, replies, and what the keepalives do.
//
// While a server is being called, what it sends is only collected (Produced); observers and links
// see it when the call has returned and the data is as the command left it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "sim/engine.h"
#include "sim/network.h"
#include "sim/redis/command_table.h"
#include "sim/redis/refusal.h"

namespace interlock::sim {

namespace {

constexpr Duration kActiveExpiryPeriod = std::chrono::milliseconds(100);

std::uint64_t HashValue(const redis::Value& value, std::uint64_t state) {
  state = HashNumber(static_cast<std::uint64_t>(value.type), state);
  state = HashNumber(static_cast<std::uint64_t>(value.integer), state);
  state = HashNumber(value.elements.size(), HashBytes(value.text, state));
  for (const redis::Value& element : value.elements) state = HashValue(element, state);
  return state;
}

bool ShowsInState(std::string_view name) {
  bool container = false;
  const redis::Command* command = redis::FindCommand(name, {}, false, &container);
  return command != nullptr && (command->flags & redis::kShowsInState) != 0;
}

Shadow::Client ShadowOf(const Link& link) { return {link.node, link.id, link.process->id}; }

void TellShadowOfEnd(const Engine& engine, const Link& link) {
  if (engine.shadow != nullptr) engine.shadow->OnDisconnect(ShadowOf(link), engine.now());
}

}  // namespace

void Network::OnTimer(TimerQueue::Timer timer) {
  if (timer.kind == TimerKind::kServerTimers) {
    server_timer_ = kNoTimer;
    SyncServerTime();
    engine_.servers.RunTimers();
    CallReturned(nullptr);
    return;
  }
  if (timer.kind == TimerKind::kElsewhere) return ArriveElsewhere(timer.id);
  Link& link = *links_[timer.id];
  switch (timer.kind) {
    case TimerKind::kRequest:
      OnRequestTimer(link);
      break;
    case TimerKind::kMessage:
      OnMessageTimer(link);
      break;
    case TimerKind::kServerClose:
      link.server_close_timer = kNoTimer;
      CloseAtServer(link);
      UpdateServerTimer();
      break;
    default:
      link.client_break_timer = kNoTimer;
      BreakClient(link, "keepalive");
      break;
  }
}

void Network::OnRequestTimer(Link& link) {
  link.request_timer = kNoTimer;
  const VirtualTime now = engine_.now();
  while (link.arrived < link.requests.size() && link.requests[link.arrived].arrival <= now) {
    ++link.arrived;
    --requests_under_way_;
  }
  ArmRequests(link);
  Pump(link);
}

void Network::OnMessageTimer(Link& link) {
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

// Gives the server what has arrived. Requests behind a blocked command wait, but a close is seen.
void Network::Pump(Link& link) {
  while (link.executed < link.arrived) {
    const bool up = engine_.servers.IsUp(link.node);
    if (up && !engine_.servers.Serves(link.node)) return;  // Stopped: the kernel keeps it.
    const Request::Kind kind = link.requests[link.executed].kind;
    if (kind == Request::Kind::kOpen) {
      up ? AcceptLink(link) : RefuseLink(link);
    } else if (kind == Request::Kind::kClose) {
      ++link.executed;
      AnswerClose(link);
    } else if (!link.server_open) {
      ++link.executed;
    } else if (link.blocked) {
      if (link.requests[link.arrived - 1].kind == Request::Kind::kClose) AnswerClose(link);
      if (link.blocked) break;
    } else {
      Execute(link);
    }
  }
  UpdateServerTimer();
}

void Network::AcceptLink(Link& link) {
  engine_.footprint.TouchAll();
  SyncServerTime();
  redis::Server& server = engine_.servers.at(link.node);
  link.client = server.Connect();
  link.server_open = true;
  node_of(link).clients.emplace_back(link.client, &link);
  if (link.process->database != 0) {
    muted_ = true;
    server.Execute(link.client, {"SELECT", std::to_string(link.process->database)});
    muted_ = false;
  }
  if (engine_.shadow != nullptr) {
    engine_.shadow->OnConnect(ShadowOf(link), link.process->database, engine_.now());
  }
  link.executed = 1;
  const Fate fate = TakeReplyFaults(link);
  link.requests.PopFront();
  --link.arrived;
  link.executed = 0;
  if (fate.lost) return Cut(link);
  const auto kind = fate.reset ? Message::Kind::kReset : Message::Kind::kOpened;
  SendMessage(link, kind, nullptr, 0, fate.extra);
  if (fate.reset) CloseAtServer(link);
}

void Network::SyncServerTime() { engine_.servers.CatchUp(engine_.now()); }

void Network::Execute(Link& link) {
  SyncServerTime();
  engine_.TellShadowOfReplicas();
  const VirtualTime now = engine_.now();
  const Engine::View view(engine_, link.node);
  redis::Server& server = engine_.servers.at(link.node);
  NodeState& node = node_of(link);
  const bool watch = engine_.trace.keeps_events();
  if (watch) node.expiry_watch.Before(engine_.trace, engine_.servers, now);
  if (now - node.last_expiry >= kActiveExpiryPeriod) {
    node.last_expiry = now;
    const std::uint64_t before = server.mutations();
    server.RunActiveExpiry();
    if (server.mutations() != before) engine_.footprint.TouchAll();
  }
  const Request& request = link.requests[link.executed++];
  ++commands_;
  engine_.trace.AddLazily(now, link.process->id, TraceKind::kExecute, request.hash, request.number,
                          [&request] { return redis::ToText(request.argv); });
  if (engine_.watched() && !ShowsInState(request.argv.empty() ? "" : request.argv[0])) {
    NoteUndescribed(*this, link, undescribed_++, request.argv);
  }
  engine_.observer->BeforeCommand(link.process->id, request.argv, now);
  executing_ = &link;
  answered_ = false;
  std::optional<std::string> error;
  if (engine_.servers.refuses()) error = engine_.servers.RefusalOf(link.node, request.argv, now);
  if (error) {
    redis::Value refused;
    engine_.footprint.TouchAll();
    refused.type = redis::Value::Type::kError;
    refused.text = redis::NoteRefusal(server, link.client, request.argv, *error);
    OnReply(link.node, link.client, refused);
  } else {
    if (engine_.noting()) redis::SetFootprint(server, &engine_.footprint);
    server.Execute(link.client, request.argv);
    if (engine_.noting()) redis::SetFootprint(server, nullptr);
  }
  executing_ = nullptr;
  if (engine_.shadow != nullptr) {
    engine_.shadow->OnCommand(ShadowOf(link), request.argv, error.has_value(), now);
  }
  if (watch) node.expiry_watch.After(server, link.process->database);
  CallReturned(&link);
}

Produced& Network::Produce(Link& link, Message::Kind kind) {
  if (produced_count_ == produced_.size()) produced_.emplace_back();
  Produced& produced = produced_[produced_count_++];
  produced.link = &link;
  produced.kind = kind;
  produced.number = 0;
  return produced;
}

void Network::NodeState::OnReply(redis::ClientId client, redis::Value& value) {
  network.OnReply(node, client, value);
}

void Network::NodeState::OnClosed(redis::ClientId client) { network.OnClosed(node, client); }

void Network::OnReply(int node, redis::ClientId client, redis::Value& value) {
  Link* link = muted_ ? nullptr : Find(node, client);
  if (link == nullptr) return;
  Message::Kind kind = Message::Kind::kPush;
  if (link == executing_ && !answered_) {
    answered_ = true;
    kind = Message::Kind::kReply;
  } else if (link->blocked) {
    Unblock(*link);
    unblocked_.push_back(link);
    kind = Message::Kind::kReply;
  }
  Produced& produced = Produce(*link, kind);
  produced.value.Swap(value);
  if (engine_.trace.hashed()) produced.hash = HashValue(produced.value, 0);
}

void Network::OnClosed(int node, redis::ClientId client) {
  Link* link = Find(node, client);
  if (link == nullptr) return;
  ForgetClient(*link);
  Produce(*link, Message::Kind::kClosed).hash = 0;
}

// Deals with what one call of a server has brought about; `executing` is whose command it was.
void Network::CallReturned(Link* executing) {
  if (engine_.servers.unmodelled()) engine_.scheduler.Stop(StopReason::kUnmodelled);
  Produced* own = nullptr;
  for (std::size_t i = 0; i < produced_count_ && own == nullptr; ++i) {
    Produced& produced = produced_[i];
    if (produced.link == executing && produced.kind == Message::Kind::kReply) own = &produced;
  }
  if (own != nullptr) {
    Report(*own);
  } else if (executing != nullptr && executing->server_open &&
             engine_.servers.at(executing->node).IsBlocked(executing->client)) {
    executing->blocked = true;
    ++blocked_links_;
    const Request& request = executing->requests[executing->executed - 1];
    engine_.observer->AfterCommand(executing->process->id, request.number, request.argv, nullptr,
                                   engine_.now());
  }
  for (std::size_t i = 0; i < produced_count_; ++i) {
    if (&produced_[i] != own) Report(produced_[i]);
  }
  if (engine_.shadow != nullptr) SettleShadow(executing);
  for (std::size_t i = 0; i < produced_count_; ++i) Deliver(produced_[i]);
  produced_count_ = 0;
  while (!resets_.empty()) {
    Link* link = resets_.back();
    resets_.pop_back();
    CloseAtServer(*link);
  }
  while (!unblocked_.empty()) {
    Link* link = unblocked_.front();
    unblocked_.erase(unblocked_.begin());
    Pump(*link);
  }
  if (executing == nullptr) UpdateServerTimer();
}

void Network::Report(Produced& produced) {
  if (produced.kind == Message::Kind::kClosed) return TellShadowOfEnd(engine_, *produced.link);
  if (engine_.shadow != nullptr) {
    engine_.shadow->OnMessage(ShadowOf(*produced.link), produced.value, engine_.now());
  }
  const Link& link = *produced.link;
  const Engine::View view(engine_, link.node);
  const bool reply = produced.kind == Message::Kind::kReply;
  produced.number = reply ? link.requests[link.executed - 1].number : 0;
  engine_.trace.AddLazily(engine_.now(), link.process->id, TraceKind::kReply, produced.hash,
                          produced.number, [&produced] { return redis::ToText(produced.value); });
  if (!reply) return;
  const Request& request = link.requests[link.executed - 1];
  engine_.observer->AfterCommand(link.process->id, request.number, request.argv, &produced.value,
                                 engine_.now());
}

void Network::Deliver(Produced& produced) {
  Link& link = *produced.link;
  Fate fate;
  if (produced.kind == Message::Kind::kReply) fate = TakeReplyFaults(link);
  if (produced.kind == Message::Kind::kPush && IsLostPush(produced)) return;
  if (fate.lost) return Cut(link);
  if (fate.reset) {
    produced.kind = Message::Kind::kReset;
    resets_.push_back(&link);
  }
  const bool has_value =
      produced.kind == Message::Kind::kReply || produced.kind == Message::Kind::kPush;
  SendMessage(link, produced.kind, has_value ? &produced.value : nullptr, produced.hash, fate.extra,
              produced.number);
}

// A confirmation of SUBSCRIBE is a push by form, but an answer by nature: those are never lost.
bool Network::IsLostPush(const Produced& produced) {
  std::vector<Fault>& faults = produced.link->process->lost_pushes;
  if (faults.empty() || produced.value.elements.empty()) return false;
  if (!produced.value.elements.front().text.ends_with("message")) return false;
  engine_.ReportFault(*produced.link->process, faults.front());
  faults.erase(faults.begin());
  return true;
}

// The faults that wait for the reply to the request which the server executed last.
Network::Fate Network::TakeReplyFaults(Link& link) {
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
      fate.reset = !fate.lost;
    }
    engine_.ReportFault(*link.process, fault);
  }
  faults.clear();
  return fate;
}

void Network::SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                          Duration extra, std::uint64_t number) {
  if (link.silent || link.client_gone || link.broke != nullptr) return;
  Message& message = link.messages.PushBack();
  message.kind = kind;
  message.hash = hash;
  message.number = number;
  if (value != nullptr) message.value.Swap(*value);
  const VirtualTime travelled = engine_.now() + Latency(*link.process) + extra;
  message.arrival =
      std::max(link.last_message_arrival, HeldBack(link, Direction::kFromServer, travelled));
  link.last_message_arrival = message.arrival;
  if (link.message_timer == kNoTimer) ArmMessages(link);
}

void Network::Unblock(Link& link) {
  link.blocked = false;
  --blocked_links_;
}

void Network::CloseAtServer(Link& link) {
  engine_.scheduler.timers().Cancel(link.server_close_timer);
  if (!link.server_open) return;
  engine_.footprint.TouchAll();
  SyncServerTime();
  ForgetClient(link);
  engine_.servers.at(link.node).Disconnect(link.client);
  TellShadowOfEnd(engine_, link);
}

// A client that still listens hears of it.
void Network::AnswerClose(Link& link) {
  const bool open = link.server_open;
  CloseAtServer(link);
  if (open) SendMessage(link, Message::Kind::kClosed, nullptr, 0, {});
}

void Network::ForgetClient(Link& link) {
  if (link.blocked) Unblock(link);
  link.server_open = false;
  std::erase_if(node_of(link).clients,
                [&link](const auto& entry) { return entry.second == &link; });
}

// The servers' next time-out as a timer of the world: none is needed if nobody waits for it.
void Network::UpdateServerTimer() {
  TimerQueue& timers = engine_.scheduler.timers();
  const auto next = blocked_links_ > 0 ? engine_.servers.NextTimer() : std::optional<VirtualTime>();
  if (!next) return timers.Cancel(server_timer_);
  const VirtualTime at = *next;
  if (server_timer_ != kNoTimer && at == server_timer_at_) return;
  timers.Cancel(server_timer_);
  server_timer_at_ = at;
  // One tick later at least: a time-out that RunTimers has just left alone is not due before.
  const VirtualTime soonest = engine_.now() + std::chrono::microseconds(1);
  server_timer_ = timers.Add(std::max(at, soonest), {TimerKind::kServerTimers, 0});
}

Link* Network::Find(int node, redis::ClientId client) const {
  for (const auto& entry : nodes_[static_cast<std::size_t>(node)]->clients) {
    if (entry.first == client) return entry.second;
  }
  return nullptr;
}

}  // namespace interlock::sim
