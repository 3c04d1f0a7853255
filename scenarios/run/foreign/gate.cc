// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/gate.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "scenarios/run/foreign/ordered.h"
#include "scenarios/run/foreign/words.h"
#include "sim/redis/reply.h"
#include "sim/redis/resp.h"
#include "sim/redis/text.h"
#include "sim/redis/watcher.h"
#include "sim/serve/timers.h"

namespace interlock::scenarios::drive {
namespace {

/// An io_context waits in whole milliseconds (epoll_wait), in which most clients go on many times.
constexpr Duration kShortestWait = std::chrono::milliseconds(1);

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::RequestParser;
using sim::redis::Value;

}  // namespace

struct Gate::Node : sim::redis::Sink {
  Node(Gate& its_gate, int its_number) : gate(its_gate), number(its_number) {}
  void OnReply(ClientId client, Value& value) override { gate.Deliver(number, client, value); }
  void OnClosed(ClientId client) override { gate.Closed(number, client); }

  Gate& gate;
  const int number;
  std::unique_ptr<sim::redis::Server> server = std::make_unique<sim::redis::Server>();
};

struct Gate::Wire {
  int client = 0;
  int node = 0;
  std::uint64_t of_client = 0;
  ClientId id = 0;  // 0: the server has closed it
  std::shared_ptr<sim::serve::Connection> connection;
  std::optional<Argv> parked;
  OrderedCommands ordered;
  bool deaf = false;  // replies to it are lost
  bool withheld = false;
  std::string kept_back;  // part of the server's output
  bool gone = false;
};

Gate::Gate(int clients, int nodes, const sim::redis::Dialect& dialect, std::int64_t epoch_us)
    : clients_(static_cast<std::size_t>(clients)), time_us_(epoch_us) {
  for (int i = 0; i < nodes; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, i));
    sim::redis::Server& one = server(i);
    one.SetDialect(dialect);
    one.SetSink(nodes_.back().get());
    one.SetUnmodelledIsError(true);
    sim::redis::SetWatcher(one,
                           [this](ClientId /*client*/, const Argv& argv, const Value& /*reply*/) {
                             if (!unordered_) effects_.push_back(argv);
                           });
    one.SetTime(time_us_);
    one.Start();
  }
}

Gate::~Gate() {
  for (const auto& [number, wire] : wires_) wire->connection->Close();
  wires_.clear();
}

Status Gate::Open() {
  for (int client = 0; client < static_cast<int>(clients_.size()); ++client) {
    for (int node = 0; node < nodes(); ++node) {
      listeners_.push_back(std::make_unique<sim::serve::Listener>(
          io_, [this, client, node](sim::serve::Socket socket, std::string peer) {
            Add(client, node, std::move(socket), std::move(peer));
          }));
      if (auto error = listeners_.back()->AddTcp("127.0.0.1", 0)) {
        return Status(StatusCode::kUnavailable, *error);
      }
      listeners_.back()->Start();
    }
  }
  return Status();
}

sim::redis::Server& Gate::server(int node) const {
  return *nodes_[static_cast<std::size_t>(node)]->server;
}

int Gate::port(int client, int node) const {
  return listeners_[static_cast<std::size_t>(client * nodes() + node)]->port();
}

void Gate::Add(int client, int node, sim::serve::Socket socket, std::string peer) {
  auto wire = std::make_unique<Wire>();
  wire->client = client;
  wire->node = node;
  wire->connection = std::make_shared<sim::serve::Connection>(
      std::move(socket), static_cast<sim::serve::Connection::Owner&>(*this));
  wire->connection->notes.serial = ++last_connection_;
  wire->id = server(node).Connect(peer);
  wire->connection->Read();
  wires_.emplace(last_connection_, std::move(wire));
  wires_.rbegin()->second->of_client = ++Of(client).connected;
}

bool Gate::Poll(Duration at_most) {
  io_.restart();
  std::size_t events = io_.poll();
  if (events == 0 && at_most.count() > 0) {
    if (at_most < kShortestWait) {
      std::this_thread::sleep_for(at_most);
      events = io_.poll();
    } else {
      events = io_.run_one_for(at_most);
    }
  }
  Flush();
  return events > 0;
}

void Gate::OnBytes(sim::serve::Connection& connection) {
  const auto found = wires_.find(connection.notes.serial);
  if (found != wires_.end() && !found->second->gone) TakeNext(*found->second);
}

/// Executes commands that need not wait; parks the first one that must.
void Gate::TakeNext(Wire& wire) {
  while (!wire.gone && !wire.parked && !wire.withheld && wire.id != 0 &&
         !server(wire.node).IsBlocked(wire.id)) {
    const auto outcome = wire.connection->parser().Next(true);
    if (outcome == RequestParser::Outcome::kNeedMore) break;
    if (outcome != RequestParser::Outcome::kCommand) {
      if (outcome == RequestParser::Outcome::kProtocolError) {
        Reply(wire, sim::redis::ErrorValue(wire.connection->parser().error()));
        Send(wire);
      }
      wire.gone = true;
      return;
    }
    Argv argv = std::move(wire.connection->parser().command());
    if (!wire.ordered.Take(argv)) {
      unordered_ = true;
      Execute(wire, argv, wire.ordered.in_transaction());
      unordered_ = false;
    } else {
      wire.parked = std::move(argv);
      ++Of(wire.client).waited;
    }
  }
  if (!wire.gone) wire.connection->Read();
}

void Gate::OnGone(sim::serve::Connection& connection) {
  const auto found = wires_.find(connection.notes.serial);
  if (found != wires_.end()) found->second->gone = true;
}

void Gate::OnRoom(sim::serve::Connection& connection) {
  const auto found = wires_.find(connection.notes.serial);
  if (found == wires_.end() || found->second->gone) return;
  Of(found->second->client).touched = true;
  Send(*found->second);
}

/// Writes what there is to write.
void Gate::Send(Wire& wire) {
  if (wire.connection->unsent() == 0) return;
  const sim::machine::VirtualClock::Gift gift(clock_, wire.client);
  wire.connection->Flush();
}

void Gate::Execute(Wire& wire, const Argv& argv, bool queued) {
  if (IsReport(argv)) return Reply(wire, AnswerTo(argv, queued, resources_));
  sim::redis::Server& executing = server(wire.node);
  if (!unordered_) sim::redis::SetFootprint(executing, footprint_);
  executing.Execute(wire.id, argv);
  sim::redis::SetFootprint(executing, nullptr);
}

void Gate::Reply(Wire& wire, const Value& value) {
  if (wire.deaf || wire.gone) return;
  sim::redis::AppendReply(value, wire.id == 0 ? 2 : server(wire.node).ProtocolOf(wire.id),
                          wire.withheld ? &wire.kept_back : &wire.connection->out());
  Of(wire.client).touched = true;
}

void Gate::Deliver(int node, ClientId client, const Value& value) {
  for (const auto& [number, wire] : wires_) {
    if (wire->node != node || wire->id != client) continue;
    Reply(*wire, value);
    if (!unordered_) answers_.push_back({wire->client, node, sim::redis::ToText(value)});
    return;
  }
}

void Gate::Closed(int node, ClientId client) {
  for (const auto& [number, wire] : wires_) {
    if (wire->node == node && wire->id == client) wire->id = 0;
  }
}

void Gate::Release(std::uint64_t connection, Outcome outcome) {
  Wire& wire = *wires_.at(connection);
  const Argv argv = *std::exchange(wire.parked, std::nullopt);
  ++Of(wire.client).executed;
  wire.deaf = outcome == Outcome::kReplyLost;
  wire.withheld = outcome == Outcome::kReplyWithheld;
  effects_.clear();
  if (outcome != Outcome::kRequestLost && wire.id != 0) Execute(wire, argv, false);
  if (outcome == Outcome::kRequestLost || outcome == Outcome::kReplyLost) Break(connection);
  Flush();
}

void Gate::HandOver(std::uint64_t connection) {
  const auto found = wires_.find(connection);
  if (found == wires_.end()) return;
  Wire& wire = *found->second;
  wire.withheld = false;
  wire.connection->out() += std::exchange(wire.kept_back, {});
  Of(wire.client).touched = true;
  Flush();
}

template <typename Is>
bool Gate::Any(int client, const Is& is) const {
  return std::ranges::any_of(
      wires_, [&](const auto& one) { return one.second->client == client && is(*one.second); });
}

bool Gate::IsWithheld(int client) const {
  return Any(client, [](const Wire& wire) { return wire.withheld; });
}

void Gate::Operate(const Argv& argv) {
  unordered_ = true;
  for (const auto& node : nodes_) {
    const ClientId operator_id = node->server->Connect("operator");
    node->server->Execute(operator_id, argv);
    node->server->Disconnect(operator_id);
  }
  unordered_ = false;
}

void Gate::Break(std::uint64_t connection) {
  const auto found = wires_.find(connection);
  if (found == wires_.end()) return;
  const std::unique_ptr<Wire> wire = std::move(found->second);
  wires_.erase(found);
  wire->gone = true;
  Of(wire->client).touched = true;
  if (wire->connection->open()) {
    const sim::machine::VirtualClock::Gift gift(clock_, wire->client);
    wire->connection->Reset();
  }
  if (wire->id != 0) server(wire->node).Disconnect(wire->id);
}

void Gate::Drop(int client) {
  std::vector<std::uint64_t> theirs;
  for (const auto& [number, wire] : wires_) {
    if (wire->client == client) theirs.push_back(number);
  }
  for (const std::uint64_t number : theirs) Break(number);
}

/// Writes replies; reads from clients that are blocked no longer; and drops clients that are gone,
/// once all that they had sent before has been executed.
void Gate::Flush() {
  for (const auto& [number, wire] : wires_) {
    if (!wire->gone) TakeNext(*wire);
    if (!wire->gone) Send(*wire);
    if (wire->id == 0) wire->gone = true;
    if (wire->id == 0) wire->parked.reset();
  }
  std::vector<std::uint64_t> over;
  for (const auto& [number, wire] : wires_) {
    if (wire->gone && !wire->parked) over.push_back(number);
  }
  for (const std::uint64_t number : over) Break(number);
}

void Gate::SetTime(std::int64_t unix_us) {
  for (const auto& node : nodes_) {
    sim::serve::RunTimersUntil(*node->server, unix_us);
    node->server->RunActiveExpiry();
  }
  time_us_ = unix_us;
  Flush();
}

std::optional<std::int64_t> Gate::NextTimerUs() const {
  std::optional<std::int64_t> next_us;
  for (const auto& node : nodes_) {
    const auto timer_us = node->server->NextTimerUs();
    if (timer_us && (!next_us || *timer_us < *next_us)) next_us = timer_us;
  }
  return next_us;
}

std::vector<Parked> Gate::parked() const {
  std::vector<Parked> parked;
  for (const auto& [number, wire] : wires_) {
    if (wire->parked)
      parked.push_back({wire->client, wire->node, number, wire->of_client, &*wire->parked});
  }
  std::ranges::stable_sort(parked, {}, &Parked::client);
  return parked;
}

bool Gate::HasParked(int client) const {
  return Any(client, [](const Wire& wire) { return wire.parked.has_value(); });
}

bool Gate::IsBlocked(int client) const {
  return Any(client, [this](const Wire& wire) {
    return wire.id != 0 && server(wire.node).IsBlocked(wire.id);
  });
}

bool Gate::IsSubscribed(int client) const {
  return Any(client, [this](const Wire& wire) {
    return wire.id != 0 &&
           (server(wire.node).IsSubscriber(wire.id) || server(wire.node).IsTracked(wire.id));
  });
}

std::vector<Answer> Gate::TakeAnswers() { return std::exchange(answers_, {}); }

std::vector<Argv> Gate::TakeEffects() { return std::exchange(effects_, {}); }

std::vector<int> Gate::TakeTouched() {
  std::vector<int> clients;
  for (int client = 0; client < static_cast<int>(clients_.size()); ++client) {
    if (std::exchange(Of(client).touched, false)) clients.push_back(client);
  }
  return clients;
}

}  // namespace interlock::scenarios::drive
