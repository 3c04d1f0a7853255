// SPDX-License-Identifier: MIT
#include "src/pending_call.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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

bool HasCode(const Reply& reply, std::string_view code) {
  return reply.IsError() && std::string_view(reply.text).substr(0, code.size()) == code;
}

/// A native command with the words of its call, which outlives it.
class NativeLine {
 public:
  NativeLine(const NativeCommand& command, const ScriptCall& call) {
    for (const std::string_view word : command.words) {
      if (!word.empty()) argv_[count_++] = Filled(word, call);
    }
  }
  operator std::span<const std::string_view>() const { return {argv_.data(), count_}; }

 private:
  static std::string_view Filled(std::string_view word, const ScriptCall& call) {
    if (word[0] != '@') return word;
    const auto place = static_cast<std::size_t>(word[1] - '0');
    return place == 0 ? call.keys[0] : call.arguments[place - 1];
  }

  std::array<std::string_view, std::tuple_size_v<decltype(NativeCommand::words)>> argv_;
  std::size_t count_ = 0;
};

/// What a script would have answered.
Reply AsOfScript(Reply reply) {
  Reply flag;
  flag.type = Reply::Type::kInteger;
  flag.integer = reply.IsStatus("OK") ? 1 : 0;
  return reply.IsNil() || flag.integer == 1 ? flag : reply;
}

/// Of an acknowledgement; empty: nothing.
std::string WhatIsLacking(const ReplicaAcknowledgement& wanted, const Result<Reply>& answer) {
  std::string text = "not acknowledged by " + std::to_string(wanted.replicas) + " replicas: ";
  if (wanted.on_disk) text = "not acknowledged as on disk: ";
  if (!answer.ok()) return text + answer.status().message();
  const Reply* count = &*answer;
  if (wanted.on_disk) {  // the server itself, then the replicas
    const std::vector<Reply>& both = answer->elements;
    if (both.size() != 2 || !both[0].IsInteger()) return text + answer->text;
    if (both[0].integer == 0) return "not on the server's disk in time";
    count = &both[1];
  }
  if (!count->IsInteger()) return text + answer->text;
  if (count->integer >= wanted.replicas) return "";
  return text + "by " + std::to_string(count->integer);
}

}  // namespace

Status PendingCall::SendForm(Connection& connection) {
  while (native_ < call_.native.size()) {
    const NativeCommand& command = call_.native[native_];
    if (call_.script == nullptr || !client_.IsLacking(command)) {
      return connection.Send(NativeLine(command, call_), deadline_);
    }
    ++native_;
  }
  const std::string_view command = by_text_ ? "EVAL" : "EVALSHA";
  const std::string_view script = by_text_ ? call_.script->source : call_.script->sha();
  return connection.Send(CommandLine(command, script, call_, key_count_.view()), deadline_);
}

bool PendingCall::TurnsFrom(const Reply& refusal) {
  if (!refusal.IsError()) return false;
  if (native_ == call_.native.size()) {
    if (by_text_ || !HasCode(refusal, "NOSCRIPT")) return false;
    by_text_ = true;
    return true;
  }
  if (call_.script == nullptr) return false;
  // It has no such command or option, or not for this user; if it is something else, the script is
  // told so, too. What is out of memory may still have enough for a script that needs none.
  const bool lacking = HasCode(refusal, "ERR ") || HasCode(refusal, "NOPERM ");
  if (lacking) client_.RememberLacking(call_.native[native_]);
  if (!lacking && !HasCode(refusal, "OOM ")) return false;
  ++native_;
  return true;
}

Status PendingCall::Send(std::unique_ptr<Connection> connection) {
  native_ = 0;  // a new connection may lead to another server
  by_text_ = brings_text_;
  sent_ = client_.runtime().Now();
  deadline_ = std::min(AddSaturating(sent_, client_.options().command_timeout), by_);
  Status sent = SendForm(*connection);
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
  while (reply.ok() && TurnsFrom(*reply)) {
    sent_ = client_.runtime().Now();
    const Status sent = SendForm(*connection_);
    reply = sent.ok() ? ClientCore::Receive(*connection_, deadline_) : Result<Reply>(sent);
  }
  if (!reply.ok()) return reply.status();
  if (native_ < call_.native.size()) reply = AsOfScript(std::move(reply).value());
  if (reply->IsError()) return StatusOfErrorReply(reply->text, std::string(call_.keys[0]));
  Status kept = Acknowledged(*reply);
  if (kept.code() == StatusCode::kCancelled) return kept;
  return ScriptReply{std::move(reply).value(), sent_, std::move(kept)};
}

Status PendingCall::Acknowledged(const Reply& reply) {
  const ReplicaAcknowledgement& wanted = client_.options().acknowledged_by;
  if (!wanted.asked() || worth_keeping_ == nullptr || !worth_keeping_(reply)) return Status();
  const Number replicas(wanted.replicas);
  const Number timeout = Argument(wanted.timeout);
  const std::array<std::string_view, 3> wait = {"WAIT", replicas.view(), timeout.view()};
  const std::array<std::string_view, 4> on_disk = {"WAITAOF", "1", replicas.view(), timeout.view()};
  const std::span<const std::string_view> command =
      wanted.on_disk ? std::span<const std::string_view>(on_disk) : wait;
  const MonotonicTime overdue = AddSaturating(
      AddSaturating(client_.runtime().Now(), wanted.timeout), client_.options().command_timeout);
  const Result<Reply> answer = ClientCore::Exchange(*connection_, command, std::min(overdue, by_));
  if (answer.code() == StatusCode::kCancelled) return answer.status();
  const std::string lacking = WhatIsLacking(wanted, answer);
  if (lacking.empty()) return Status();
  return Status(StatusCode::kUnknownOutcome, "executed, but " + lacking);
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
