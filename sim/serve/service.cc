// SPDX-License-Identifier: MIT
//
// Connections and commands; turns and time are in turns.cc.
#include "sim/serve/service.h"

#include <algorithm>
#include <utility>

#include "sim/redis/refusal.h"
#include "sim/redis/reply.h"
#include "sim/redis/surroundings.h"
#include "sim/serve/words.h"

namespace interlock::sim::serve {
namespace {

using redis::Argv;
using redis::ClientId;
using redis::ErrorValue;
using redis::RequestParser;
using redis::Value;

// The unread output that redis-server allows a subscriber (client-output-buffer-limit pubsub).
constexpr std::size_t kHardLimit = std::size_t{32} << 20;
constexpr std::size_t kSoftLimit = std::size_t{8} << 20;
constexpr std::int64_t kSoftLimitUs = 60'000'000;

// The memory that scripts may use on a machine that has other things to do.
constexpr std::size_t kScriptMemory = std::size_t{2} << 30;

}  // namespace

Service::Service(boost::asio::io_context& io, const ServeOptions& options)
    : io_(io),
      options_(options),
      clock_(RealUs(), options.controlled_clock),
      control_(clock_, faults_, *this),
      timer_(io.get_executor()) {
  for (const auto& [name, value] : options_.parameters) {
    guarded_ = guarded_ || (options_.allow_remote && name == "requirepass" && !value.empty());
  }
  server_.SetSink(this);
}

Service::~Service() = default;

std::optional<std::string> Service::Configure(int port) {
  server_.SetUnmodelledIsError(true);
  server_.SetShutdown([this] { shutdown_(); });
  server_.SetRandom([this](std::uint64_t bound) { return random_() % bound; });
  server_.SetScriptMemory(kScriptMemory);
  server_.SetLongScriptHandler([this] { PollInsideScript(); });
  redis::SetUnreplicated(server_);
  ShowSurroundings(port);
  for (const auto& [name, value] : options_.parameters) {
    const std::string error = server_.Configure(name, value);
    if (!error.empty()) return "--config " + name + "=" + value + ": " + error;
  }
  SetServerTime();
  server_.Start();
  return std::nullopt;
}

void Service::ShowSurroundings(int port) {
  std::string addresses;
  for (const std::string& address : options_.addresses) {
    addresses += (addresses.empty() ? "" : " ") + address;
  }
  redis::ShowParameter(server_, "bind", addresses);
  redis::ShowParameter(server_, "port", std::to_string(port));
  redis::ShowParameter(server_, "unixsocket", options_.unix_socket);
  redis::ShowParameter(server_, "maxclients", std::to_string(options_.max_clients));
  if (options_.allow_remote) redis::ShowParameter(server_, "protected-mode", "no");
  redis::SetBuffersOf(server_, [this](ClientId client) {
    Connection* const connection = Find(client);
    if (connection == nullptr) return redis::Buffers();
    return redis::Buffers{connection->unsent(), connection->awaiting_room(),
                          connection->parser().buffered()};
  });
}

// Executes commands of other clients inside the script; a flood of them must not keep the script
// from continuing.
void Service::PollInsideScript() {
  constexpr int kAtMost = 1000;
  SetServerTime();
  // Clients that waited for the script may get BUSY by now.
  if (!waiting_.empty()) turn_due_ = true;
  RunDue();
  for (int i = 0; i < kAtMost && io_.poll_one() > 0; ++i) RunDue();
}

void Service::Add(Socket socket, std::string peer) {
  auto connection =
      std::make_shared<Connection>(std::move(socket), static_cast<Connection::Owner&>(*this));
  if (connections_.size() >= options_.max_clients) {
    redis::AppendReply(ErrorValue("ERR max number of clients reached"), 2, &connection->out());
    connection->Flush();
    connection->Close();
    return;
  }
  connection->notes.serial = ++last_serial_;
  connection->notes.address = std::move(peer);
  connections_.emplace(last_serial_, connection);
  if (!down_) Register(*connection);
  connection->Read();
}

void Service::Register(Connection& connection) {
  connection.notes.client = server_.Connect(connection.notes.address);
  clients_[connection.notes.client] = &connection;
}

Connection* Service::Find(ClientId client) {
  if (current_ != nullptr && current_->notes.client == client) return current_;
  const auto found = clients_.find(client);
  return found == clients_.end() ? nullptr : found->second;
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
    clients_.erase(client);
    server_.Disconnect(client);
  }
  Forget(connection);
}

// Any code that still uses the connection holds a reference of its own.
void Service::Forget(Connection& connection) { connections_.erase(connection.notes.serial); }

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
  SetServerTime();
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
  if (down_ && guarded_ && SameWord(argv[0], "AUTH"))
    return AuthenticateWhileDown(connection, argv);
  if (down_ && SameWord(argv[0], "SHUTDOWN")) return shutdown_();
  if (down_) return HangUp(connection, true);
  if (stalled_until_us_) return Hold(connection, std::move(argv), std::nullopt);
  if (!faults_.empty()) {
    const auto fault = faults_.Take(server_.NameOf(connection.notes.client), argv);
    if (fault) return Strike(connection, argv, *fault);
  }
  Execute(connection, argv);
}

void Service::Steer(Connection& connection, const Argv& argv) {
  if (guarded_ && !MaySteer(connection)) {
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

// Others can reach the server, and they must not control it without its password.
bool Service::MaySteer(Connection& connection) {
  Connection::Notes& notes = connection.notes;
  if (notes.client != 0 && server_.IsAuthenticated(notes.client)) notes.may_steer = true;
  return notes.may_steer;
}

// While it is down the fake knows no clients, but somebody has to be able to start it again.
void Service::AuthenticateWhileDown(Connection& connection, const Argv& argv) {
  std::string password;
  for (const auto& [name, value] : options_.parameters) {
    if (name == "requirepass") password = value;
  }
  const bool named = argv.size() == 3 && argv[1] == "default";
  if ((argv.size() != 2 && !named) || argv.back() != password) {
    return Reply(connection, ErrorValue("WRONGPASS invalid username-password pair or user is "
                                        "disabled."));
  }
  connection.notes.may_steer = true;
  Reply(connection, redis::StatusValue("OK"));
}

void Service::Strike(Connection& connection, const Argv& argv, const CommandFault& fault) {
  switch (fault.kind) {
    case CommandFault::Kind::kDelay:
      return Hold(connection, argv, server_.time_us() + fault.delay_us);
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
  if (connection->unsent() > kSoftLimit) CheckOutputLimit(*connection);
}

void Service::OnClosed(ClientId client) {
  Connection* connection = Find(client);
  if (connection == nullptr) return;
  clients_.erase(client);
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

void Service::CheckOutputLimit(Connection& connection) {
  std::optional<std::int64_t>& since_us = connection.notes.over_limit_since_us;
  const std::size_t unsent = connection.unsent();
  if (unsent <= kSoftLimit) return since_us.reset();
  if (!server_.IsSubscriber(connection.notes.client)) return;
  if (!since_us) since_us = RealUs();
  if (unsent < kHardLimit && RealUs() - *since_us < kSoftLimitUs) return;
  // It is not closed now, because the fake may be in the middle of a PUBLISH to it.
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
  const auto connections = std::exchange(connections_, {});
  clients_.clear();
  for (const auto& [serial, connection] : connections) {
    connection->notes.client = 0;
    connection->notes.held.reset();
    if (connection->notes.hanging_up) continue;
    connection->notes.hanging_up = true;
    if (connection.get() == current_) {
      connections_.emplace(serial, connection);
    } else {
      connection->Reset();
    }
  }
  held_.clear();
  stalled_until_us_.reset();
  if (!down_) server_.Kill({.power_lost = power_lost});
  down_ = true;
  down_until_us_ = until_us;
  return true;
}

bool Service::Restart() {
  if (!down_ && !Crash(false, std::nullopt)) return false;
  SetServerTime();
  server_.Start();
  down_ = false;
  down_until_us_.reset();
  for (const auto& [serial, connection] : connections_) {
    if (!connection->notes.hanging_up) Register(*connection);
  }
  return true;
}

}  // namespace interlock::sim::serve
