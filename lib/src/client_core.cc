// SPDX-License-Identifier: MIT
#include "src/client_core.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "src/retry.h"

namespace interlock::internal {
namespace {

std::vector<std::string_view> CommandLine(std::string_view command, std::string_view script,
                                          const ScriptCall& call, const std::string& key_count) {
  std::vector<std::string_view> argv;
  argv.reserve(3 + call.keys.size() + call.arguments.size());
  argv.push_back(command);
  argv.push_back(script);
  argv.push_back(key_count);
  argv.insert(argv.end(), call.keys.begin(), call.keys.end());
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  return argv;
}

bool IsNoScript(const Reply& reply) {
  return reply.IsError() && std::string_view(reply.text).substr(0, 8) == "NOSCRIPT";
}

}  // namespace

ClientCore::ClientCore(Runtime& runtime, Connector& connector, ClientOptions options)
    : runtime_(runtime), connector_(connector), options_(options), keeper_(runtime) {}

std::unique_ptr<Connection> ClientCore::TakeIdle() {
  MutexGuard guard(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> last = std::move(idle_.back());
  idle_.pop_back();
  return last;
}

Result<ClientCore::Borrowed> ClientCore::Borrow(Use use, MonotonicTime by) {
  if (use == Use::kPooled) {
    while (std::unique_ptr<Connection> idle = TakeIdle()) {
      if (!idle->broken()) return Borrowed{std::move(idle), true};
    }
  }
  const MonotonicTime deadline =
      std::min(AddSaturating(runtime_.Now(), options_.connect_timeout), by);
  Result<std::unique_ptr<Connection>> made = connector_.Connect(deadline);
  if (!made.ok()) return made.status();
  return Borrowed{std::move(made).value(), false};
}

void ClientCore::GiveBack(std::unique_ptr<Connection> connection) {
  if (connection->broken()) return;
  MutexGuard guard(mutex_);
  if (idle_.size() < static_cast<std::size_t>(options_.max_idle_connections)) {
    idle_.push_back(std::move(connection));
  }
}

void ClientCore::DropIdle() {
  std::vector<std::unique_ptr<Connection>> dropped;  // closed after the lock is given up
  MutexGuard guard(mutex_);
  dropped.swap(idle_);
}

Result<Reply> ClientCore::Exchange(Connection& connection,
                                   const std::vector<std::string_view>& argv,
                                   MonotonicTime deadline) {
  if (Status sent = connection.Send(argv); !sent.ok()) return sent;
  Result<Reply> reply = connection.Receive(deadline);
  if (reply.ok() || reply.code() == StatusCode::kCancelled) return reply;
  // The command is on its way, so whatever the connection calls this, its effect is unknown.
  return Status(StatusCode::kUnknownOutcome, reply.status().message());
}

Result<ScriptReply> ClientCore::RunOn(Connection& connection, const ScriptCall& call,
                                      MonotonicTime by) {
  const std::string key_count = std::to_string(call.keys.size());
  MonotonicTime sent = runtime_.Now();
  const MonotonicTime deadline = std::min(AddSaturating(sent, options_.command_timeout), by);
  Result<Reply> reply =
      Exchange(connection, CommandLine("EVALSHA", call.script->sha(), call, key_count), deadline);
  if (reply.ok() && IsNoScript(*reply)) {
    sent = runtime_.Now();
    reply =
        Exchange(connection, CommandLine("EVAL", call.script->source, call, key_count), deadline);
  }
  if (!reply.ok()) return reply.status();
  if (reply->IsError()) return StatusOfErrorReply(reply->text);
  return ScriptReply{std::move(reply).value(), sent};
}

Result<ScriptReply> ClientCore::Run(const ScriptCall& call, Use use, MonotonicTime by) {
  for (;;) {
    Result<Borrowed> borrowed = Borrow(use, by);
    if (!borrowed.ok()) {
      DropIdle();
      return borrowed.status();
    }
    Result<ScriptReply> reply = RunOn(*borrowed->connection, call, by);
    if (reply.ok()) {
      GiveBack(std::move(borrowed->connection));
      return reply;
    }
    borrowed->connection.reset();
    DropIdle();
    // A connection that died while idle is no news: definitely nothing was sent on it.
    const bool stale = borrowed->was_idle && reply.code() == StatusCode::kUnavailable;
    if (!stale) return reply;
    use = Use::kFresh;
  }
}

Result<std::optional<std::string>> ClientCore::Pop(const std::string& key, MonotonicTime until) {
  Result<Borrowed> borrowed = Borrow(Use::kPooled, kNever);
  if (!borrowed.ok()) {
    DropIdle();
    return borrowed.status();
  }
  const MonotonicTime now = runtime_.Now();
  const std::chrono::milliseconds wait = BlockFor(now, until);
  const std::string seconds = BlockingSeconds(wait);
  const MonotonicTime overdue = AddSaturating(AddSaturating(now, wait), options_.command_timeout);
  Result<Reply> reply = Exchange(*borrowed->connection, {"BLPOP", key, seconds}, overdue);
  if (reply.ok() && reply->IsNil()) {
    GiveBack(std::move(borrowed->connection));
    return std::optional<std::string>();
  }
  // The key's name, then the element.
  if (reply.ok() && reply->IsArray() && reply->elements.size() == 2) {
    GiveBack(std::move(borrowed->connection));
    return std::optional<std::string>(std::move(reply->elements[1].text));
  }
  borrowed->connection.reset();
  DropIdle();
  if (!reply.ok()) return reply.status();
  if (reply->IsError()) return StatusOfErrorReply(reply->text);
  return Status(StatusCode::kProtocolError, "the server answered BLPOP in an unknown form");
}

void ClientCore::Pause(Duration pause) {
  runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), pause));
}

void ClientCore::PauseAfterFailures(int failures, const RetryOptions& retry,
                                    MonotonicTime deadline) {
  std::array<std::byte, sizeof(std::uint32_t)> random{};
  runtime_.FillRandom(random);
  const Duration pause = PauseAfter(failures, retry, std::bit_cast<std::uint32_t>(random));
  const MonotonicTime now = runtime_.Now();
  if (deadline <= now) return;
  Pause(deadline == kNever ? pause : std::min(pause, deadline - now));
}

}  // namespace interlock::internal
