// SPDX-License-Identifier: MIT
#include "sim/sim_connector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/before_send.h"
#include "sim/check.h"

namespace interlock::sim {

namespace {

enum SeenOfConnections : std::uint64_t { kReceived = 0x10, kBroke, kConnected, kRefused, kUnsent };

Status Cancelled() { return Status(StatusCode::kCancelled); }

Reply::Type TypeOf(redis::Value::Type type) {
  switch (type) {
    case redis::Value::Type::kNil:
    case redis::Value::Type::kNilArray:
      return Reply::Type::kNil;
    case redis::Value::Type::kStatus:
      return Reply::Type::kStatus;
    case redis::Value::Type::kError:
      return Reply::Type::kError;
    case redis::Value::Type::kInteger:
      return Reply::Type::kInteger;
    case redis::Value::Type::kString:
      return Reply::Type::kString;
    case redis::Value::Type::kArray:
      return Reply::Type::kArray;
    default:
      // Servers allows no protocol higher than RESP2.
      Require(false, "a RESP3 reply on a RESP2 connection");
  }
  return Reply::Type::kNil;
}

void Convert(redis::Value& value, Reply& reply) {
  reply.type = TypeOf(value.type);
  if (reply.type == Reply::Type::kInteger) reply.integer = value.integer;
  if (reply.type == Reply::Type::kArray) {
    reply.elements.resize(value.elements.size());
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      Convert(value.elements[i], reply.elements[i]);
    }
    return;
  }
  if (reply.type != Reply::Type::kNil && reply.type != Reply::Type::kInteger) {
    reply.text = std::move(value.text);
  }
}

}  // namespace

SimConnection::~SimConnection() { engine_.network.CloseFromClient(link_); }

Status SimConnection::Send(std::span<const std::string_view> argv, MonotonicTime /*deadline*/) {
  if (broken_) {
    if (!engine_.Step(process_, StepKind::kBeforeSend)) return Cancelled();
    return Status(StatusCode::kUnavailable, "the connection was broken before");
  }
  if (!StepBeforeSend(engine_, process_, argv)) return Cancelled();
  if (link_.broke != nullptr) {
    // The result differs from that of a connection that breaks after sending.
    if (engine_.watched()) engine_.Observe(process_, kUnsent);
    Status broke = Break(link_.broke, StatusCode::kUnavailable);
    return Status(StatusCode::kUnavailable, broke.message());
  }
  ++outstanding_;
  if (!engine_.network.Send(link_, argv)) return Break(link_.broke, StatusCode::kUnavailable);
  // A fault that strikes here strikes a process whose request is already in flight.
  if (!engine_.Step(process_, StepKind::kAfterSend)) {
    broken_ = true;
    return Status(StatusCode::kUnknownOutcome, "cancelled after sending");
  }
  return Status();
}

void SimConnection::SendLast(std::span<const std::string_view> argv) {
  if (!std::exchange(overdue_, false) || link_.broke != nullptr) return;
  if (!StepBeforeSend(engine_, process_, argv) || link_.broke != nullptr) return;
  ++outstanding_;
  if (engine_.network.Send(link_, argv)) engine_.Step(process_, StepKind::kAfterSend);
}

Status SimConnection::Break(const char* why, StatusCode idle) {
  broken_ = true;
  engine_.trace.Add(engine_.now(), process_.id, TraceKind::kBroken, why);
  if (engine_.watched()) {
    engine_.Observe(process_, kBroke).Text(why);
    process_.observed.Number(outstanding_);
  }
  return Status(outstanding_ > 0 ? StatusCode::kUnknownOutcome : idle, why);
}

Result<Reply> SimConnection::TakeReply() {
  // A pause that strikes here finds the reply in the client's buffer, where it stays.
  if (!engine_.Step(process_, StepKind::kReply)) return Cancelled();
  return Read();
}

Result<Reply> SimConnection::Read() {
  Message& message = link_.messages.front();
  const redis::Value& value = message.value;
  engine_.trace.AddLazily(engine_.now(), process_.id, TraceKind::kReceive, message.hash,
                          message.number, [&value] { return redis::ToText(value); });
  if (engine_.watched()) {
    engine_.Observe(process_, kReceived).Value(message.value);
    process_.observed.Number(static_cast<std::uint64_t>(message.kind));
  }
  Result<Reply> reply(std::in_place);
  Convert(message.value, *reply);
  if (message.kind == Message::Kind::kReply && outstanding_ > 0) --outstanding_;
  engine_.network.PopMessage(link_);
  return reply;
}

Result<Reply> SimConnection::Await(MonotonicTime deadline, const std::stop_token& stop,
                                   Duration patience) {
  if (engine_.scheduler.tearing_down() || broken_) {
    if (!engine_.Step(process_, StepKind::kReply)) return Cancelled();
    return Status(StatusCode::kUnavailable, "the connection was broken before");
  }
  if (engine_.scheduler.current() == nullptr) return Cancelled();
  const std::stop_callback wake(stop, [this] {
    if (link_.reader != nullptr) engine_.scheduler.MakeReady(link_.reader);
  });
  for (bool closing = false;;) {
    if (link_.delivered > 0) {
      const Message::Kind kind = link_.messages.front().kind;
      if (kind == Message::Kind::kReply || kind == Message::Kind::kPush) {
        if (!closing) return TakeReply();
        Result<Reply> last = TakeReply();
        broken_ = true;
        return last;
      }
    }
    if (!closing && stop.stop_requested()) {
      closing = true;
      engine_.network.EndSending(link_);
      const MonotonicTime now = process_.clock.Local(engine_.now());
      deadline = std::min(deadline, AddSaturating(now, patience));
    }
    if (link_.broke != nullptr) return Break(link_.broke, StatusCode::kUnavailable);
    if (engine_.Reached(process_, deadline)) {
      overdue_ = true;
      return Break("deadline", StatusCode::kTimeout);
    }
    link_.reader = engine_.scheduler.current();
    const bool alive =
        engine_.Wait(WaitKind::kReply, process_, deadline, VirtualTime::max(), link_.id);
    link_.reader = nullptr;
    if (!alive) return Cancelled();
  }
}

Result<std::unique_ptr<Connection>> SimConnector::Connect(MonotonicTime deadline) {
  if (!engine_.Step(process_, StepKind::kConnect)) return Cancelled();
  if (!engine_.instant()) engine_.scheduler.YieldPoint();
  if (engine_.scheduler.tearing_down()) return Cancelled();
  Network& network = engine_.network;
  Link& link = network.Open(process_, node_.value_or(engine_.servers.primary()));
  const VirtualTime limit = engine_.now() + engine_.options.keepalive;
  while (link.delivered == 0 && link.broke == nullptr && engine_.now() < limit &&
         !engine_.Reached(process_, deadline)) {
    link.reader = engine_.scheduler.current();
    const bool alive = engine_.Wait(WaitKind::kConnect, process_, deadline, limit, link.id);
    link.reader = nullptr;
    if (!alive) return Cancelled();
  }
  if (link.delivered > 0 && link.messages.front().kind == Message::Kind::kOpened) {
    network.PopMessage(link);
    link.established = true;
    engine_.trace.Add(engine_.now(), process_.id, TraceKind::kConnect, "ok");
    if (engine_.watched()) engine_.Observe(process_, kConnected);
    return std::unique_ptr<Connection>(new (engine_.blocks())
                                           SimConnection(engine_, process_, link));
  }
  const char* why = link.broke != nullptr ? link.broke : "deadline";
  engine_.trace.Add(engine_.now(), process_.id, TraceKind::kConnect, why);
  if (engine_.watched()) engine_.Observe(process_, kRefused).Text(why);
  network.CloseFromClient(link);
  return Status(StatusCode::kUnavailable, why);
}

std::string SimConnector::endpoint() const {
  const std::string server = node_ ? "server-" + std::to_string(*node_) : "server";
  return "sim://" + server + "/" + std::to_string(process_.database);
}

}  // namespace interlock::sim
