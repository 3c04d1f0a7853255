// SPDX-License-Identifier: MIT
#include "sim/server_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "sim/engine.h"
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

// A message of RESP3 that is not the answer to a command, as confirmations of SUBSCRIBE are.
bool IsUnasked(const redis::Value& value) {
  return value.type == redis::Value::Type::kPush && !value.elements.empty() &&
         !value.elements.front().text.ends_with("subscribe");
}

bool ShowsInState(const redis::Dialect& dialect, std::string_view name) {
  bool container = false;
  const redis::Command* command = redis::FindCommand(dialect, name, {}, false, &container);
  return command != nullptr && (command->flags & redis::kShowsInState) != 0;
}

}  // namespace

ServerCalls::ServerCalls(Engine& engine, Transit& transit, ServerConnections& connections,
                         NetworkMemory& memory)
    : engine_(engine),
      transit_(transit),
      connections_(connections),
      memory_(memory),
      produced_(std::move(memory.produced)) {
  for (int node = 0; node < engine.servers.count(); ++node) {
    outlets_.push_back(std::make_unique<Outlet>(*this, node));
    engine.servers.at(node).SetSink(outlets_.back().get());
  }
}

ServerCalls::~ServerCalls() { memory_.produced = std::move(produced_); }

void ServerCalls::RunTimers() {
  engine_.servers.CatchUp(engine_.now());
  engine_.servers.RunTimers();
  Returned(nullptr);
}

// Gives the server the requests that have arrived. Those after a blocked command wait, but a close
// is seen.
void ServerCalls::Pump(Link& link) {
  while (link.executed < link.arrived) {
    const bool up = engine_.servers.IsUp(link.node);
    if (up && !engine_.servers.Serves(link.node)) return;  // Stopped: the kernel keeps it.
    const Request::Kind kind = link.requests[link.executed].kind;
    if (kind == Request::Kind::kOpen) {
      up ? Accept(link) : connections_.Refuse(link);
    } else if (kind == Request::Kind::kClose) {
      ++link.executed;
      connections_.AnswerClose(link);
    } else if (!link.server_open) {
      ++link.executed;
    } else if (link.blocked) {
      if (link.requests[link.arrived - 1].kind == Request::Kind::kClose)
        connections_.AnswerClose(link);
      if (link.blocked) break;
    } else {
      Execute(link);
    }
  }
  connections_.UpdateTimer();
}

void ServerCalls::Accept(Link& link) {
  engine_.footprint.TouchAll();
  engine_.servers.CatchUp(engine_.now());
  redis::Server& server = engine_.servers.at(link.node);
  link.client = server.Connect();
  connections_.Add(link);
  if (link.process->database != 0) {
    muted_ = true;
    server.Execute(link.client, {"SELECT", std::to_string(link.process->database)});
    muted_ = false;
  }
  if (engine_.shadow != nullptr) {
    engine_.shadow->OnConnect(ShadowOf(link), link.process->database, engine_.now());
  }
  link.executed = 1;
  const Fate fate = transit_.TakeReplyFaults(link);
  link.requests.PopFront();
  --link.arrived;
  link.executed = 0;
  if (fate.lost) return transit_.Cut(link);
  const auto kind = fate.reset ? Message::Kind::kReset : Message::Kind::kOpened;
  transit_.SendMessage(link, kind, nullptr, 0, fate.extra);
  if (fate.reset) connections_.Close(link);
}

void ServerCalls::Execute(Link& link) {
  engine_.servers.CatchUp(engine_.now());
  engine_.server_faults.TellShadowOfReplicas();
  const VirtualTime now = engine_.now();
  const Engine::View view(engine_, link.node);
  redis::Server& server = engine_.servers.at(link.node);
  Outlet& node = *outlets_[static_cast<std::size_t>(link.node)];
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
  if (engine_.watched() &&
      !ShowsInState(server.dialect(), request.argv.empty() ? "" : request.argv[0])) {
    NoteUndescribed(engine_.network, link, undescribed_++, request.argv);
  }
  engine_.observer->BeforeCommand(link.process->id, request.argv, now);
  executing_ = &link;
  answered_ = false;
  server.SetHighestProtocol(link.bytes ? 3 : 2);  // A Reply cannot hold what RESP3 adds.
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
  Returned(&link);
}

Produced& ServerCalls::Produce(Link& link, Message::Kind kind) {
  if (produced_count_ == produced_.size()) produced_.emplace_back();
  Produced& produced = produced_[produced_count_++];
  produced.link = &link;
  produced.kind = kind;
  produced.number = 0;
  return produced;
}

void ServerCalls::OnReply(int node, redis::ClientId client, redis::Value& value) {
  Link* link = muted_ ? nullptr : connections_.Find(node, client);
  if (link == nullptr) return;
  if (link->bytes) link->protocol = engine_.servers.at(node).ProtocolOf(client);
  Message::Kind kind = Message::Kind::kPush;
  if (IsUnasked(value)) {
    // Its command is still to be answered.
  } else if (link == executing_ && !answered_) {
    answered_ = true;
    kind = Message::Kind::kReply;
  } else if (link->blocked) {
    connections_.Unblock(*link);
    unblocked_.push_back(link);
    kind = Message::Kind::kReply;
  }
  Produced& produced = Produce(*link, kind);
  produced.value.Swap(value);
  if (engine_.trace.hashed()) produced.hash = HashValue(produced.value, 0);
}

void ServerCalls::OnClosed(int node, redis::ClientId client) {
  Link* link = connections_.Find(node, client);
  if (link == nullptr) return;
  connections_.Forget(*link);
  Produce(*link, Message::Kind::kClosed).hash = 0;
}

// Handles the results of one call of a server; `executing` is the link whose command it was.
void ServerCalls::Returned(Link* executing) {
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
    connections_.Block(*executing);
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
    connections_.Close(*link);
  }
  while (!unblocked_.empty()) {
    Link* link = unblocked_.front();
    unblocked_.erase(unblocked_.begin());
    Pump(*link);
  }
  if (executing == nullptr) connections_.UpdateTimer();
}

void ServerCalls::Report(Produced& produced) {
  if (produced.kind == Message::Kind::kClosed) return connections_.TellShadowOfEnd(*produced.link);
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

void ServerCalls::Deliver(Produced& produced) {
  Link& link = *produced.link;
  Fate fate;
  if (produced.kind == Message::Kind::kReply) fate = transit_.TakeReplyFaults(link);
  if (produced.kind == Message::Kind::kPush && IsLostPush(produced)) return;
  if (fate.lost) return transit_.Cut(link);
  if (fate.reset) {
    produced.kind = Message::Kind::kReset;
    resets_.push_back(&link);
  }
  // A stream of bytes can break within the reply, of which it shows a part.
  const bool torn = fate.reset && link.process->library != nullptr;
  const bool has_value =
      torn || produced.kind == Message::Kind::kReply || produced.kind == Message::Kind::kPush;
  transit_.SendMessage(link, produced.kind, has_value ? &produced.value : nullptr, produced.hash,
                       fate.extra, produced.number);
}

// A confirmation of SUBSCRIBE has the form of a push but is really a reply, and replies are never
// lost here.
bool ServerCalls::IsLostPush(const Produced& produced) {
  std::vector<Fault>& faults = produced.link->process->lost_pushes;
  if (faults.empty() || produced.value.elements.empty()) return false;
  if (!produced.value.elements.front().text.ends_with("message")) return false;
  engine_.ReportFault(*produced.link->process, faults.front());
  faults.erase(faults.begin());
  return true;
}

void ServerCalls::ExecuteAsAdmin(int node, int database, const redis::Argv& argv,
                                 const Link* victim) {
  engine_.servers.CatchUp(engine_.now());
  if (engine_.shadow != nullptr) {
    const Shadow::Client named = victim == nullptr
                                     ? Shadow::Client()
                                     : Shadow::Client{node, victim->id, victim->process->id};
    engine_.shadow->OnAdmin(node, database, argv, victim == nullptr ? nullptr : &named,
                            engine_.now());
  }
  redis::Server& server = engine_.servers.at(node);
  const redis::ClientId client = server.Connect();
  server.Execute(client, {"SELECT", std::to_string(database)});
  server.Execute(client, argv);
  server.Disconnect(client);
  outlets_[static_cast<std::size_t>(node)]->expiry_watch.Forget();
  Returned(nullptr);
}

// Tells the shadow which nodes have sent something, executed a command or timed out, and are now
// idle.
void ServerCalls::SettleShadow(const Link* executing) {
  std::vector<int> nodes;
  if (executing != nullptr) nodes.push_back(executing->node);
  for (std::size_t i = 0; i < produced_count_; ++i) nodes.push_back(produced_[i].link->node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const int node : nodes) {
    engine_.shadow->OnSettled(node, engine_.servers.at(node), engine_.now());
  }
}

}  // namespace interlock::sim
