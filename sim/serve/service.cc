// SPDX-License-Identifier: MIT
#include "sim/serve/service.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "sim/redis/refusal.h"
#include "sim/redis/reply.h"
#include "sim/serve/setup.h"
#include "sim/serve/timers.h"
#include "sim/serve/words.h"

namespace interlock::sim::serve {
namespace {

using redis::Argv;
using redis::ClientId;
using redis::ErrorValue;
using redis::RequestParser;
using redis::Value;
}  // namespace

Service::Service(boost::asio::io_context& io, const ServeOptions& options)
    : io_(io),
      options_(options),
      clock_(RealUs(), options.controlled_clock),
      life_(server_, clock_),
      control_(clock_, faults_, *this),
      gate_(options_),
      timer_(io, [this] { timer_due_ = true; }) {
  server_.SetDialect(*options_.dialect);
  server_.SetSink(this);
  server_.SetLongTurns(true);
}

Service::~Service() = default;

std::optional<std::string> Service::Configure(int port) {
  server_.SetShutdown([this] { shutdown_(); });
  server_.SetRandom([this](std::uint64_t bound) { return random_() % bound; });
  server_.SetLongScriptHandler([this] { PollInsideScript(); });
  auto refused = SetUp(server_, options_, port, [this](ClientId client) {
    Connection* const connection = Find(client);
    if (connection == nullptr) return redis::Buffers();
    return redis::Buffers{connection->unsent(), connection->awaiting_room(),
                          connection->parser().buffered()};
  });
  if (refused) return refused;
  life_.SetTime();
  server_.Start();
  return std::nullopt;
}

// Executes commands of other clients inside the script; a flood of them must not keep the script
// from continuing.
void Service::PollInsideScript() {
  constexpr int kAtMost = 1000;
  life_.SetTime();
  // Clients that waited for the script may get BUSY by now.
  if (!waiting_.empty()) turn_due_ = true;
  RunDue();
  for (int i = 0; i < kAtMost && io_.poll_one() > 0; ++i) RunDue();
}

void Service::Add(Socket socket, std::string peer) {
  auto connection =
      std::make_shared<Connection>(std::move(socket), static_cast<Connection::Owner&>(*this));
  if (clients_.connections().size() >= options_.max_clients) {
    redis::AppendReply(ErrorValue("ERR max number of clients reached"), 2, &connection->out());
    connection->Flush();
    connection->Close();
    return;
  }
  clients_.Add(connection, std::move(peer));
  if (!life_.down()) clients_.Register(*connection, server_);
  connection->Read();
}

Connection* Service::Find(ClientId client) {
  if (current_ != nullptr && current_->notes.client == client) return current_;
  return clients_.Find(client);
}

// The fake must not lose a client in the middle of that client's own command; and a real server
// executes commands that arrived before the end of the connection, however late it gets to them.
void Service::OnGone(Connection& connection) {
  if (connection.notes.held && !connection.notes.hanging_up) {
    connection.notes.abandoned = true;
    return connection.GoSilent();
  }
  connection.notes.hanging_up = true;
  if (connection.notes.executing > 0) {
    connection.notes.doomed = true;
    return;
  }
  const ClientId client = std::exchange(connection.notes.client, 0);
  if (client != 0) {
    clients_.Unregister(client);
    server_.Disconnect(client);
  }
  clients_.Remove(connection);
}

void Service::HangUp(Connection& connection, bool reset) {
  if (reset) {
    connection.Reset();
  } else {
    connection.Close();
  }
  OnGone(connection);
}

void Service::OnBytes(Connection& connection) { arrived_.push_back(connection.shared_from_this()); }

// Handles one item at a time and removes it from its queue first, because a script among them
// re-enters this function.
void Service::RunDue() {
  while (!io_.stopped()) {
    if (!arrived_.empty()) {
      const auto connection = std::move(arrived_.front());
      arrived_.pop_front();
      Serve(*connection);
      AddToTurn(*connection);
    } else if (std::exchange(timer_due_, false)) {
      OnTimer();
    } else if (std::exchange(turn_due_, false)) {
      EndTurn();
    } else {
      return;
    }
  }
}

void Service::Serve(Connection& connection) {
  life_.SetTime();
  while (ServeNext(connection)) {
  }
}

// Returns false if nothing can be executed now.
bool Service::ServeNext(Connection& connection) {
  Connection::Notes& notes = connection.notes;
  if (notes.hanging_up || notes.held) return false;
  if (notes.client != 0 && server_.IsBlocked(notes.client)) {
    if (connection.parser().buffered() > 0 && !std::exchange(notes.waiting, true)) {
      waiting_.push_back(connection.shared_from_this());
    }
    return false;
  }
  const bool trusted = notes.client == 0 || server_.IsAuthenticated(notes.client);
  switch (connection.parser().Next(trusted)) {
    case RequestParser::Outcome::kCommand:
      Dispatch(connection, connection.parser().command());
      return true;
    case RequestParser::Outcome::kNeedMore:
      return false;
    case RequestParser::Outcome::kProtocolError:
      Reply(connection, ErrorValue(connection.parser().error()));
      notes.hanging_up = true;
      connection.CloseWhenFlushed();
      return false;
    case RequestParser::Outcome::kClose:
      HangUp(connection, false);
      return false;
  }
  return false;
}

void Service::Dispatch(Connection& connection, Argv& argv) {
  if (Control::Owns(argv)) return Steer(connection, argv);
  if (life_.down() && gate_.guarded() && SameWord(argv[0], "AUTH")) {
    return Reply(connection, gate_.Authenticate(connection, argv));
  }
  if (life_.down() && SameWord(argv[0], "SHUTDOWN")) return shutdown_();
  if (life_.down()) return HangUp(connection, true);
  if (life_.stalled()) return held_.Add(connection, std::move(argv), std::nullopt);
  if (!faults_.empty()) {
    const auto fault = faults_.Take(server_.NameOf(connection.notes.client), argv);
    if (fault) return Strike(connection, argv, *fault);
  }
  Execute(connection, argv);
}

void Service::Steer(Connection& connection, const Argv& argv) {
  if (!gate_.MaySteer(connection, server_)) {
    return Reply(connection, ErrorValue("NOAUTH Authentication required."));
  }
  Connection* const outer = std::exchange(current_, &connection);
  const Value reply = control_.Execute(argv);
  current_ = outer;
  Reply(connection, reply);
  if (!connection.notes.hanging_up) return;
  // A silent connection writes nothing, so it would never be flushed.
  if (connection.silent()) return HangUp(connection, true);
  connection.CloseWhenFlushed();
}

void Service::Strike(Connection& connection, const Argv& argv, const CommandFault& fault) {
  switch (fault.kind) {
    case CommandFault::Kind::kDelay:
      return held_.Add(connection, argv, server_.time_us() + fault.delay_us);
    case CommandFault::Kind::kError:
      return Reply(connection, ErrorValue(redis::NoteRefusal(server_, connection.notes.client, argv,
                                                             fault.text)));
    case CommandFault::Kind::kDropReply:
      // Earlier replies still arrive.
      connection.Flush();
      connection.GoSilent();
      return Execute(connection, argv);
    case CommandFault::Kind::kResetBefore:
      return HangUp(connection, true);
    case CommandFault::Kind::kResetAfter:
      connection.GoSilent();
      Execute(connection, argv);
      if (!connection.notes.hanging_up) HangUp(connection, true);
      return;
  }
}

void Service::Execute(Connection& connection, const Argv& argv) {
  Connection* const outer = std::exchange(current_, &connection);
  ++depth_;
  ++connection.notes.executing;
  server_.Execute(connection.notes.client, argv);
  --connection.notes.executing;
  --depth_;
  current_ = outer;
  if (connection.notes.doomed && connection.notes.executing == 0) HangUp(connection, false);
}

void Service::Reply(Connection& connection, const Value& value) {
  const ClientId client = connection.notes.client;
  redis::AppendReply(value, client == 0 ? 2 : server_.ProtocolOf(client), &connection.out());
  AddToTurn(connection);
}

void Service::OnReply(ClientId client, Value& value) {
  Connection* connection = Find(client);
  if (connection == nullptr || connection->silent()) return;
  redis::AppendReply(value, server_.ProtocolOf(client), &connection->out());
  AddToTurn(*connection);
  if (connection->unsent() > Connection::kSoftLimit) CheckOutputLimit(*connection);
}

void Service::OnClosed(ClientId client) {
  Connection* connection = Find(client);
  if (connection == nullptr) return;
  clients_.Unregister(client);
  connection->notes.client = 0;
  connection->notes.hanging_up = true;
  // A client that is closed by its own command (QUIT, CLIENT KILL of itself) gets its reply first;
  // one that others have killed may never read again.
  if (connection == current_ && !connection->silent()) {
    connection->notes.doomed = false;
    return connection->CloseWhenFlushed();
  }
  connection->Flush();
  if (connection->open()) HangUp(*connection, false);
}

// It is not closed now, because the fake may be in the middle of a PUBLISH to it.
void Service::CheckOutputLimit(Connection& connection) {
  if (!connection.OverLimit(server_.IsSubscriber(connection.notes.client), RealUs())) return;
  connection.notes.doomed = true;
  AddToTurn(connection);
}

bool Service::HalfOpen(ClientId client) {
  Connection* connection = Find(client);
  if (connection == nullptr) return false;
  connection->Flush();
  connection->GoSilent();
  return true;
}

bool Service::Crash(bool power_lost, std::optional<std::int64_t> until_us) {
  if (depth_ > 0) return false;
  // The connection that asked for the crash gets its reply before it breaks.
  for (const auto& [serial, connection] : clients_.TakeAll()) {
    connection->notes.client = 0;
    connection->notes.held.reset();
    if (connection->notes.hanging_up) continue;
    connection->notes.hanging_up = true;
    if (connection.get() == current_) {
      clients_.Keep(connection);
    } else {
      connection->Reset();
    }
  }
  held_.Clear();
  life_.Kill(power_lost, until_us);
  return true;
}

bool Service::Restart() {
  if (!life_.down() && !Crash(false, std::nullopt)) return false;
  life_.Start();
  for (const auto& [serial, connection] : clients_.connections()) {
    if (!connection->notes.hanging_up) clients_.Register(*connection, server_);
  }
  return true;
}

void Service::AddToTurn(Connection& connection) {
  if (std::exchange(connection.notes.in_turn, true)) return;
  turn_.push_back(connection.shared_from_this());
  PostTurn();
}

void Service::PostTurn() {
  if (std::exchange(turn_posted_, true)) return;
  boost::asio::post(io_.get_executor(), [this] { turn_due_ = true; });
}

void Service::EndTurn() {
  turn_posted_ = false;
  ResumeWaiting();
  if (depth_ == 0) server_.EndTurn();
  std::vector<std::shared_ptr<Connection>> turn = std::exchange(turn_, {});
  for (const auto& connection : turn) {
    connection->notes.in_turn = false;
    if (connection->notes.doomed && connection->open()) {
      HangUp(*connection, false);
    } else {
      connection->Flush();
    }
  }
  // Reading comes after all writing: by now the first clients may have responded, and an attempt
  // that finds nothing costs a system call.
  for (const auto& connection : turn) {
    if (connection->notes.executing == 0) connection->Read();
  }
  ScheduleTimer();
  turn.clear();
  if (turn_.empty()) turn_.swap(turn);
}

// Serves commands pipelined after one that blocked: the client may be free again.
void Service::ResumeWaiting() {
  if (waiting_.empty()) return;
  for (const auto& connection : std::exchange(waiting_, {})) {
    connection->notes.waiting = false;
    Serve(*connection);
  }
}

void Service::ReleaseHeld() {
  while (const auto connection = held_.TakeDue(server_.time_us(), life_.stalled())) {
    Connection::Notes& notes = connection->notes;
    const bool delayed = notes.held_until_us.has_value();
    redis::Argv argv = std::move(*notes.held);
    notes.held.reset();
    // A delayed command has met its fault already; one that a stall held back has not.
    if (delayed) {
      Execute(*connection, argv);
    } else {
      Dispatch(*connection, argv);
    }
    Serve(*connection);
    if (notes.abandoned && !notes.held && !notes.hanging_up) HangUp(*connection, false);
    AddToTurn(*connection);
  }
}

void Service::EndStall() {
  life_.EndStall();
  held_.EndDelays();
  ClockMoved();
}

void Service::ClockMoved() {
  // Inside a script, work that falls due has to wait; the end of the turn takes care of it.
  if (depth_ == 0) CatchUp(true);
  PostTurn();
}

void Service::CatchUp(bool expire) {
  if (life_.StartIsDue()) Restart();
  life_.CatchUp(expire);
  ReleaseHeld();
}

void Service::OnTimer() {
  const bool cron = timer_.TakePeriod();
  if (cron) {
    for (const auto& [serial, connection] : clients_.connections()) CheckOutputLimit(*connection);
  }
  if (depth_ == 0) CatchUp(cron);
  PostTurn();
}

void Service::ScheduleTimer() {
  // Inside a script nothing can be done about what falls due.
  std::optional<std::int64_t> due_us;
  if (depth_ == 0) due_us = Earlier(life_.NextDueUs(), held_.NextDueUs(life_.stalled()));
  timer_.Schedule(due_us ? clock_.RealUntil(RealUs(), *due_us) : std::nullopt);
}

}  // namespace interlock::sim::serve
