// SPDX-License-Identifier: MIT
#include "src/pending_call.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/retry.h"

namespace interlock::internal {
namespace {

/// EVAL or EVALSHA, as it is sent. What it is made from outlives it.
class CommandLine {
 public:
  CommandLine(std::string_view command, std::string_view script, const ScriptCall& call,
              std::string_view key_count)
      : argv_{command, script, key_count} {
    for (std::size_t i = 0; i < call.keys.size(); ++i) argv_[count_++] = call.keys[i];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) argv_[count_++] = call.arguments[i];
  }
  operator std::span<const std::string_view>() const { return {argv_.data(), count_}; }

 private:
  std::array<std::string_view, 3 + 2 * Words::kMost> argv_;
  std::size_t count_ = 3;
};

bool IsNoScript(const Reply& reply) {
  return reply.IsError() && std::string_view(reply.text).substr(0, 8) == "NOSCRIPT";
}

}  // namespace

Status PendingCall::Send(std::unique_ptr<Connection> connection) {
  sent_ = client_.runtime().Now();
  deadline_ = std::min(AddSaturating(sent_, client_.options().command_timeout), by_);
  const std::string_view command = brings_text_ ? "EVAL" : "EVALSHA";
  const std::string_view script = brings_text_ ? call_.script->source : call_.script->sha();
  Status sent = connection->Send(CommandLine(command, script, call_, key_count_.view()), deadline_);
  if (sent.ok()) {
    connection_ = std::move(connection);
  } else {
    connection.reset();
    client_.DropIdle();
  }
  return sent;
}

bool PendingCall::TrySend() {
  if (use_ != Use::kPooled) return false;
  while (std::unique_ptr<Connection> idle = client_.TakeIdle()) {
    if (client_.IsBroken(*idle)) continue;
    Status sent = Send(std::move(idle));
    on_idle_ = sent.ok();
    // A connection that died while idle is no news: definitely nothing was sent on it.
    if (sent.code() == StatusCode::kUnavailable) return false;
    failure_ = std::move(sent);
    return true;
  }
  return false;
}

Status PendingCall::Connect() {
  Result<std::unique_ptr<Connection>> made = client_.Connect(by_);
  if (made.ok()) return Send(std::move(made).value());
  client_.DropIdle();
  return made.status();
}

Result<ScriptReply> PendingCall::Answer() {
  Result<Reply> reply = ClientCore::Receive(*connection_, deadline_);
  if (reply.ok() && IsNoScript(*reply)) {
    sent_ = client_.runtime().Now();
    const CommandLine by_text("EVAL", call_.script->source, call_, key_count_.view());
    reply = ClientCore::Exchange(*connection_, by_text, deadline_);
  }
  if (!reply.ok()) return reply.status();
  if (reply->IsError()) return StatusOfErrorReply(reply->text, std::string(call_.keys[0]));
  Status kept = Acknowledged(*reply);
  if (kept.code() == StatusCode::kCancelled) return kept;
  return ScriptReply{std::move(reply).value(), sent_, std::move(kept)};
}

Status PendingCall::Acknowledged(const Reply& reply) {
  const ReplicaAcknowledgement& wanted = client_.options().acknowledged_by;
  if (wanted.replicas == 0 || worth_keeping_ == nullptr || !worth_keeping_(reply)) return Status();
  const Number replicas(wanted.replicas);
  const Number timeout = Argument(wanted.timeout);
  const std::array<std::string_view, 3> command = {"WAIT", replicas.view(), timeout.view()};
  const MonotonicTime overdue = AddSaturating(
      AddSaturating(client_.runtime().Now(), wanted.timeout), client_.options().command_timeout);
  const Result<Reply> count = ClientCore::Exchange(*connection_, command, std::min(overdue, by_));
  if (count.code() == StatusCode::kCancelled) return count.status();
  if (count.ok() && count->IsInteger() && count->integer >= wanted.replicas) return Status();
  std::string message = "executed, but not acknowledged by ";
  message.append(replicas.view()).append(" replicas: ");
  if (!count.ok()) {
    message += count.status().message();
  } else {
    message += count->IsInteger() ? "by " + std::to_string(count->integer) : count->text;
  }
  return Status(StatusCode::kUnknownOutcome, std::move(message));
}

Result<ScriptReply> PendingCall::Finish() {
  for (;;) {
    if (connection_ == nullptr && failure_.ok() && (refused_ || !TrySend())) failure_ = Connect();
    if (!failure_.ok()) return failure_;
    Result<ScriptReply> answer = Answer();
    if (answer.ok() && answer->kept.ok()) {
      client_.GiveBack(std::move(connection_));
      return answer;
    }
    // With its source, for nobody would be told that the server does not know the script.
    if (last_ != nullptr) {
      const Number key_count(last_->keys.size());
      connection_->SendLast(CommandLine("EVAL", last_->script->source, *last_, key_count.view()));
    }
    connection_.reset();
    client_.DropIdle();
    // A server that refused may no longer be the one that a new connection leads to.
    refused_ = std::exchange(on_idle_, false) && answer.code() == StatusCode::kUnavailable;
    if (!refused_) return answer;
    client_.TellRetried({std::string(call_.keys[0]), 1, answer.status()}, Duration(0));
  }
}

}  // namespace interlock::internal
