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

namespace interlock::scenarios::drive {
namespace {

/// An io_context waits in whole milliseconds (epoll_wait), in which most clients go on many times.
constexpr Duration kShortestWait = std::chrono::milliseconds(1);

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::RequestParser;
using sim::redis::Value;

}  // namespace

struct Gate::Outlet : sim::redis::Sink {
  Outlet(Gate& its_gate, int its_number) : gate(its_gate), number(its_number) {}
  void OnReply(ClientId client, Value& value) override { gate.Deliver(number, client, value); }
  void OnClosed(ClientId client) override { gate.Closed(number, client); }

  Gate& gate;
  const int number;
};

struct Gate::Wire {
  int client = 0;
  int node = 0;
  std::uint64_t of_client = 0;
  ClientId id = 0;  // 0: the server has closed it
  std::shared_ptr<sim::serve::Connection> connection;
  std::optional<Argv> parked;
  std::uint64_t after = 0;    // commands of the client
  std::uint64_t arrival = 0;  // of what is parked
  OrderedCommands ordered;
  bool deaf = false;  // replies to it are lost
  bool withheld = false;
  std::string kept_back;  // part of the server's output
  bool gone = false;
};

Gate::Gate(const DriveOptions& options, std::int64_t epoch_us)
    : clients_(static_cast<std::size_t>(options.clients)),
      nodes_(std::make_unique<ServedNodes>(options, epoch_us)),
      time_us_(epoch_us) {
  for (int i = 0; i < nodes_->count(); ++i) {
    outlets_.push_back(std::make_unique<Outlet>(*this, i));
    nodes_->server(i).SetSink(outlets_.back().get());
    // What a replica executes is not its clients'.
    const auto watch = [this, i](ClientId /*client*/, const Argv& argv, const Value& /*reply*/) {
      if (!unordered_ && i == executing_) effects_.push_back(argv);
    };
    sim::redis::SetWatcher(nodes_->server(i), watch);
  }
}

Gate::~Gate() {
  for (const auto& [number, wire] : wires_) wire->connection->Close();
  wires_.clear();
}

Status Gate::Open() {
  for (int client = 0; client < static_cast<int>(clients_.size()); ++client) {
    for (int node = 0; node < nodes_->count(); ++node) {
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

int Gate::port(int client, int node) const {
  return listeners_[static_cast<std::size_t>(client * nodes_->count() + node)]->port();
}

std::vector<PortOfNode> Gate::PortsOf(int client) const {
  std::vector<PortOfNode> ports;
  for (int node = 0; node < nodes_->count(); ++node) {
    ports.emplace_back(nodes_->address(node).port, port(client, node));
  }
  return ports;
}

void Gate::Add(int client, int node, sim::serve::Socket socket, std::string peer) {
  if (!nodes_->Serves(node)) {
    const sim::machine::VirtualClock::Gift gift(clock_, client);
    const sim::serve::Socket refused = std::move(socket);  // It closes here.
    Of(client).touched = true;
    return;
  }
  auto wire = std::make_unique<Wire>();
  wire->client = client;
  wire->node = node;
  wire->connection = std::make_shared<sim::serve::Connection>(
      std::move(socket), static_cast<sim::serve::Connection::Owner&>(*this));
  wire->connection->notes.serial = ++last_connection_;
  wire->id = nodes_->server(node).Connect(peer);
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
         !nodes_->server(wire.node).IsBlocked(wire.id)) {
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
    const bool has_place = wire.ordered.Take(argv);
    if (!has_place || (nodes_->IsSentinel(wire.node) && !IsReport(argv))) {
      unordered_ = true;
      Execute(wire, argv, wire.ordered.in_transaction());
      unordered_ = false;
    } else {
      wire.parked = std::move(argv);
      wire.after = Of(wire.client).executed;
      wire.arrival = ++last_arrival_;
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
  if (SaysReady(argv)) Of(wire.client).ready_after = Of(wire.client).connected;
  if (IsReport(argv)) return Reply(wire, AnswerTo(argv, queued, resources_));
  sim::redis::Server& executing = nodes_->server(wire.node);
  if (!unordered_) sim::redis::SetFootprint(executing, footprint_);
  executing_ = wire.node;
  tells_addresses_ = AsksForAddresses(argv);
  executing.Execute(wire.id, argv);
  tells_addresses_ = false;
  executing_ = -1;
  sim::redis::SetFootprint(executing, nullptr);
}

void Gate::Reply(Wire& wire, const Value& value) {
  if (wire.deaf || wire.gone) return;
  Value told;
  const bool addresses = tells_addresses_ || nodes_->IsSentinel(wire.node) || Redirects(value);
  if (nodes_->TellAddresses() && addresses) Translate(PortsOf(wire.client), told = value);
  sim::redis::AppendReply(nodes_->TellAddresses() && addresses ? told : value,
                          wire.id == 0 ? 2 : nodes_->server(wire.node).ProtocolOf(wire.id),
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

bool Gate::IsHeldUp(std::uint64_t connection) const {
  const auto found = wires_.find(connection);
  if (found == wires_.end() || !found->second->parked || IsReport(*found->second->parked)) {
    return false;
  }
  const Wire& wire = *found->second;
  return wire.id != 0 && nodes_->HoldsUp(wire.node, wire.id, *wire.parked);
}

void Gate::Operate(const Argv& argv) {
  unordered_ = true;
  for (int node = 0; node < nodes_->count(); ++node) {
    if (!nodes_->IsSentinel(node) && nodes_->Serves(node)) nodes_->ExecuteAsOperator(node, argv);
  }
  unordered_ = false;
}

void Gate::FailOver(int node) {
  std::vector<std::uint64_t> broken;
  for (const auto& [number, wire] : wires_) {
    if (wire->node != node) continue;
    wire->id = 0;  // Its server is gone.
    broken.push_back(number);
  }
  nodes_->FailOver(node);
  for (const std::uint64_t number : broken) Break(number);
  Flush();
}

void Gate::BeginMove(sim::FaultKind how) {
  nodes_->BeginMove(how);
  Flush();
}

bool Gate::EndMove() {
  const bool ended = nodes_->EndMove();
  Flush();
  return ended;
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
  if (wire->id != 0) nodes_->server(wire->node).Disconnect(wire->id);
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
  nodes_->SetTime(unix_us);
  time_us_ = unix_us;
  Flush();
}

std::vector<Parked> Gate::parked() const {
  std::vector<Parked> parked;
  for (const auto& [number, wire] : wires_) {
    if (!wire->parked) continue;
    parked.push_back({wire->client, wire->node, number, wire->of_client, &*wire->parked,
                      wire->after, wire->arrival});
  }
  std::ranges::stable_sort(parked, {}, &Parked::client);
  return parked;
}

bool Gate::HasParked(int client) const {
  return Any(client, [](const Wire& wire) { return wire.parked.has_value(); });
}

bool Gate::IsBlocked(int client) const {
  return Any(client, [this](const Wire& wire) {
    return wire.id != 0 && nodes_->server(wire.node).IsBlocked(wire.id);
  });
}

bool Gate::IsSubscribed(int client) const {
  return Any(client, [this](const Wire& wire) {
    if (wire.id == 0 || nodes_->IsSentinel(wire.node)) return false;
    const sim::redis::Server& server = nodes_->server(wire.node);
    return server.IsSubscriber(wire.id) || server.IsTracked(wire.id);
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
