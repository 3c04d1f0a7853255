// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/relay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "scenarios/run/foreign/ordered.h"
#include "scenarios/run/foreign/words.h"
#include "sim/redis/reply.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::RequestParser;
using sim::redis::Value;

bool IsOneOf(std::string_view word, const std::array<std::string_view, 6>& words) {
  return std::ranges::count(words, word) > 0;
}

constexpr std::array<std::string_view, 6> kSubscriptions = {
    "subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe"};

/// The number of replies to the command.
std::size_t RepliesTo(const Argv& argv) {
  const bool several =
      argv.size() > 2 && IsOneOf(sim::redis::ToLower(argv.front()), kSubscriptions);
  return several ? argv.size() - 1 : 1;
}

/// Whether the server sends it although nobody has asked.
bool IsMessage(const Value& value, bool subscribed) {
  const bool push = value.type == Value::Type::kPush;
  if (!push && !(subscribed && value.type == Value::Type::kArray)) return false;
  const std::string_view first =
      value.elements.empty() ? std::string_view() : std::string_view(value.elements.front().text);
  if (push) return !IsOneOf(first, kSubscriptions);
  return first == "message" || first == "pmessage" || first == "smessage";
}

}  // namespace

struct Relay::Wire {
  /// A command whose replies are due from the server.
  struct Due {
    std::size_t replies = 1;
    bool ordered = false;
  };
  int client = 0;
  int node = 0;
  std::uint64_t number = 0;
  std::uint64_t of_client = 0;
  std::shared_ptr<sim::serve::Connection> connection;
  std::shared_ptr<sim::serve::Upstream> upstream;
  sim::redis::ReplyParser replies;
  OrderedCommands ordered;
  std::deque<Due> due;
  std::optional<Argv> waiting;
  bool held_back = false;  // what waits does so for Release; otherwise for the replies that are due
  bool subscribed = false;
  bool deaf = false;  // replies to it are lost
  bool withheld = false;
  std::string kept_back;  // part of the server's output
  bool gone = false;
};

Relay::Relay(int clients, std::vector<HiredisOptions> servers, RelayObserver& observer)
    : servers_(std::move(servers)),
      observer_(observer),
      connected_(static_cast<std::size_t>(clients)),
      alarm_(io_) {}

Relay::~Relay() {
  for (const auto& [number, wire] : wires_) {
    wire->connection->Close();
    wire->upstream->Close();
  }
}

Status Relay::Open() {
  for (int client = 0; client < static_cast<int>(connected_.size()); ++client) {
    for (int node = 0; node < nodes(); ++node) {
      listeners_.push_back(std::make_unique<sim::serve::Listener>(
          io_, [this, client, node](sim::serve::Socket socket, std::string) {
            Add(client, node, std::move(socket));
          }));
      if (auto error = listeners_.back()->AddTcp("127.0.0.1", 0)) {
        return Status(StatusCode::kUnavailable, *error);
      }
      listeners_.back()->Start();
    }
  }
  return Status();
}

int Relay::port(int client, int node) const {
  return listeners_[static_cast<std::size_t>(client * nodes() + node)]->port();
}

void Relay::Add(int client, int node, sim::serve::Socket socket) {
  auto connection = std::make_shared<sim::serve::Connection>(
      std::move(socket), static_cast<sim::serve::Connection::Owner&>(*this));
  const std::uint64_t number = ++last_connection_;
  const std::uint64_t of_client = ++connected_[static_cast<std::size_t>(client)];
  auto upstream = sim::serve::Upstream::Connect(
      io_, servers_[static_cast<std::size_t>(node)],
      [this, number](std::optional<std::string_view> bytes) { OnServerBytes(number, bytes); });
  if (!upstream.ok()) {
    if (trouble_.ok()) trouble_ = upstream.status();
    return connection->Reset();
  }
  connection->notes.serial = number;
  auto wire = std::make_unique<Wire>();
  wire->client = client;
  wire->node = node;
  wire->number = number;
  wire->of_client = of_client;
  wire->connection = std::move(connection);
  wire->upstream = *std::move(upstream);
  wire->connection->Read();
  wires_.emplace(number, std::move(wire));
}

void Relay::Poll(Duration at_most) {
  io_.restart();
  if (io_.poll() == 0 && at_most.count() > 0) io_.run_one_for(at_most);
  EndSections();
  Flush();
}

Relay::Wire* Relay::Find(std::uint64_t connection) const {
  const auto found = wires_.find(connection);
  return found == wires_.end() ? nullptr : found->second.get();
}

void Relay::OnBytes(sim::serve::Connection& connection) {
  Wire* const wire = Find(connection.notes.serial);
  if (wire != nullptr && !wire->gone) TakeNext(*wire);
}

void Relay::OnGone(sim::serve::Connection& connection) {
  if (Wire* const wire = Find(connection.notes.serial)) wire->gone = true;
}

/// Passes on commands that need not wait, up to the first one that must.
void Relay::TakeNext(Wire& wire) {
  while (!wire.gone && !wire.waiting && !wire.withheld) {
    const auto outcome = wire.connection->parser().Next(true);
    if (outcome == RequestParser::Outcome::kNeedMore) break;
    if (outcome != RequestParser::Outcome::kCommand) {
      if (outcome == RequestParser::Outcome::kProtocolError) {
        std::string bytes;
        sim::redis::AppendReply(sim::redis::ErrorValue(wire.connection->parser().error()), 2,
                                &bytes);
        Deliver(wire, bytes);
        wire.connection->Flush();
      }
      wire.gone = true;
      return;
    }
    Argv argv = std::move(wire.connection->parser().command());
    const bool ordered = wire.ordered.Take(argv);
    wire.held_back = ordered && !passes_all_;
    if (wire.held_back || (IsReport(argv) && !wire.due.empty())) {
      wire.waiting = std::move(argv);
    } else {
      Pass(wire, argv, ordered);
    }
  }
  if (wire.gone) return;
  wire.connection->Flush();
  wire.connection->Read();
}

void Relay::Pass(Wire& wire, const Argv& argv, bool ordered) {
  observer_.OnPassed({wire.client, wire.node, wire.number, wire.of_client, &argv});
  if (IsReport(argv)) {
    const Value answer = AnswerTo(argv, wire.ordered.in_transaction(), resources_);
    std::string bytes;
    sim::redis::AppendReply(answer, 2, &bytes);  // the same in RESP3
    if (section_ > Duration{} && Enters(argv)) {
      wire.withheld = true;
      sections_.emplace(std::chrono::steady_clock::now() + section_, wire.number);
      alarm_.Set(sections_.begin()->first);
    }
    return Deliver(wire, bytes);
  }
  const std::string name = sim::redis::ToLower(argv.front());
  if (name.ends_with("subscribe")) wire.subscribed = true;
  wire.due.push_back({RepliesTo(argv), ordered});
  wire.upstream->Send(argv);
}

void Relay::OnServerBytes(std::uint64_t connection, std::optional<std::string_view> bytes) {
  Wire* const wire = Find(connection);
  if (wire == nullptr) return;
  if (!bytes) {
    wire->due.clear();
    wire->waiting.reset();
    wire->gone = true;
    return;
  }
  Deliver(*wire, *bytes);
  wire->replies.Feed(*bytes);
  while (const auto value = wire->replies.Next()) NoteReply(*wire, *value);
  if (wire->waiting && !wire->held_back && wire->due.empty()) {
    Pass(*wire, *std::exchange(wire->waiting, std::nullopt), true);
    TakeNext(*wire);
  }
  if (!wire->gone) wire->connection->Flush();
}

void Relay::NoteReply(Wire& wire, const Value& value) {
  if (IsMessage(value, wire.subscribed)) return observer_.OnMessage(wire.client);
  if (wire.due.empty()) return;
  Wire::Due& due = wire.due.front();
  const bool ordered = due.ordered;
  if (--due.replies == 0) wire.due.pop_front();
  observer_.OnReply({wire.client, wire.node, wire.number, wire.of_client, nullptr}, value, ordered);
}

void Relay::EndSections() {
  const auto now = std::chrono::steady_clock::now();
  while (!sections_.empty() && sections_.begin()->first <= now) {
    Wire* const wire = Find(sections_.begin()->second);
    sections_.erase(sections_.begin());
    if (wire == nullptr) continue;
    wire->withheld = false;
    wire->connection->out() += std::exchange(wire->kept_back, {});
  }
  alarm_.Set(sections_.empty() ? std::nullopt : std::optional(sections_.begin()->first));
}

void Relay::Deliver(Wire& wire, std::string_view bytes) {
  if (wire.deaf || wire.gone) return;
  (wire.withheld ? wire.kept_back : wire.connection->out()) += bytes;
}

std::vector<Parked> Relay::parked() const {
  std::vector<Parked> parked;
  for (const auto& [number, wire] : wires_) {
    // A command whose connection still awaits replies is not at the head of the line yet.
    if (!wire->waiting || !wire->held_back || !wire->due.empty()) continue;
    parked.push_back({wire->client, wire->node, number, wire->of_client, &*wire->waiting});
  }
  std::ranges::stable_sort(parked, {}, &Parked::client);
  return parked;
}

bool Relay::HasParked(int client) const {
  return std::ranges::any_of(parked(),
                             [client](const Parked& one) { return one.client == client; });
}

void Relay::Release(std::uint64_t connection, Gate::Outcome outcome) {
  Wire& wire = *wires_.at(connection);
  const Argv argv = *std::exchange(wire.waiting, std::nullopt);
  if (outcome == Gate::Outcome::kRequestLost) return Break(connection);
  wire.deaf = outcome == Gate::Outcome::kReplyLost;
  wire.withheld = outcome == Gate::Outcome::kReplyWithheld;
  Pass(wire, argv, true);
  Flush();
}

void Relay::PassAll() {
  passes_all_ = true;
  for (const auto& [number, wire] : wires_) {
    if (!std::exchange(wire->held_back, false) || !wire->waiting || !wire->due.empty()) continue;
    Pass(*wire, *std::exchange(wire->waiting, std::nullopt), true);
  }
  Flush();
}

bool Relay::AwaitsReply(std::uint64_t connection) const {
  const Wire* const wire = Find(connection);
  return wire != nullptr && !wire->due.empty();
}

void Relay::HandOver(int client) {
  for (const auto& [number, wire] : wires_) {
    if (wire->client != client || !std::exchange(wire->withheld, false)) continue;
    wire->connection->out() += std::exchange(wire->kept_back, {});
  }
  Flush();
}

void Relay::Break(std::uint64_t connection) {
  const auto found = wires_.find(connection);
  if (found == wires_.end()) return;
  const std::unique_ptr<Wire> wire = std::move(found->second);
  wires_.erase(found);
  wire->gone = true;
  if (wire->connection->open()) wire->connection->Reset();
  wire->upstream->Close();
}

void Relay::Drop(int client) {
  std::vector<std::uint64_t> theirs;
  for (const auto& [number, wire] : wires_) {
    if (wire->client == client) theirs.push_back(number);
  }
  for (const std::uint64_t number : theirs) Break(number);
}

std::string Relay::AddressOf(std::uint64_t connection) const {
  const Wire* const wire = Find(connection);
  return wire == nullptr ? std::string() : wire->upstream->address();
}

/// Writes replies, reads from clients that wait for nothing, and drops those that are gone once all
/// that they had sent before has been executed.
void Relay::Flush() {
  std::vector<std::uint64_t> over;
  for (const auto& [number, wire] : wires_) {
    if (!wire->gone) TakeNext(*wire);
    if (wire->gone && wire->due.empty() && !wire->waiting) over.push_back(number);
  }
  for (const std::uint64_t number : over) Break(number);
}

}  // namespace interlock::scenarios::drive
