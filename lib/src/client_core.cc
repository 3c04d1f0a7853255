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

#include "src/pending_call.h"
#include "src/retry.h"

namespace interlock::internal {

ClientCore::ClientCore(Runtime& runtime, Connector& connector, ClientOptions options)
    : runtime_(runtime),
      connector_(connector),
      options_(std::move(options)),
      teller_(runtime, options_.observer),
      keeper_(runtime, teller_) {}

std::unique_ptr<Connection> ClientCore::TakeIdle() {
  MutexGuard guard(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> last = std::move(idle_.back());
  idle_.pop_back();
  return last;
}

Result<std::unique_ptr<Connection>> ClientCore::Connect(MonotonicTime by) {
  const MonotonicTime begun = runtime_.Now();
  Result<std::unique_ptr<Connection>> made =
      connector_.Connect(std::min(AddSaturating(begun, options_.connect_timeout), by));
  if (teller_) {
    Observation::Kind kind = Observation::Kind::kConnectFailed;
    if (made.ok()) {
      kind = lost_one_.exchange(false) ? Observation::Kind::kReconnected
                                       : Observation::Kind::kConnected;
    }
    const std::string where = endpoint();
    teller_.TellSince(begun, {.kind = kind, .resource = where, .status = made.status()});
  }
  return made;
}

void ClientCore::NoteLoss() {
  lost_one_ = true;
  MutexGuard guard(mutex_);
  loaded_.clear();
  lacking_.clear();
}

bool ClientCore::IsBroken(const Connection& idle) {
  if (!idle.broken()) return false;
  NoteLoss();
  return true;
}

Result<std::unique_ptr<Connection>> ClientCore::Borrow() {
  while (std::unique_ptr<Connection> idle = TakeIdle()) {
    if (!IsBroken(*idle)) return idle;
  }
  return Connect(kNever);
}

void ClientCore::GiveBack(std::unique_ptr<Connection> connection) {
  if (connection->broken()) return;
  MutexGuard guard(mutex_);
  if (idle_.size() < static_cast<std::size_t>(options_.max_idle_connections)) {
    idle_.push_back(std::move(connection));
  }
}

void ClientCore::DropIdle() {
  NoteLoss();
  std::vector<std::unique_ptr<Connection>> dropped;  // closed after the lock is given up
  MutexGuard guard(mutex_);
  dropped.swap(idle_);
}

bool ClientCore::IsLoaded(const Script& script) {
  MutexGuard guard(mutex_);
  return std::find(loaded_.begin(), loaded_.end(), &script) != loaded_.end();
}

void ClientCore::RememberLoaded(const Script& script, bool loaded) {
  MutexGuard guard(mutex_);
  const auto at = std::find(loaded_.begin(), loaded_.end(), &script);
  if (loaded && at == loaded_.end()) loaded_.push_back(&script);
  if (!loaded && at != loaded_.end()) loaded_.erase(at);
}

bool ClientCore::IsLacking(const NativeCommand& command) {
  MutexGuard guard(mutex_);
  return std::find(lacking_.begin(), lacking_.end(), &command) != lacking_.end();
}

void ClientCore::RememberLacking(const NativeCommand& command) {
  MutexGuard guard(mutex_);
  if (std::find(lacking_.begin(), lacking_.end(), &command) != lacking_.end()) return;
  lacking_.push_back(&command);
}

Duration ClientCore::LongestGrant() const {
  const ReplicaAcknowledgement& asked = options_.acknowledged_by;
  return options_.connect_timeout + options_.command_timeout +
         (asked.asked() ? asked.timeout : Duration(0));
}

Result<Reply> ClientCore::Exchange(Connection& connection, std::span<const std::string_view> argv,
                                   MonotonicTime deadline) {
  if (Status sent = connection.Send(argv, deadline); !sent.ok()) return sent;
  return Receive(connection, deadline);
}

Result<Reply> ClientCore::Receive(Connection& connection, MonotonicTime deadline) {
  Result<Reply> reply = connection.Receive(deadline);
  if (!reply.ok()) reply = AfterSending(reply.status());
  return reply;
}

Status ClientCore::AfterSending(const Status& why) {
  if (why.code() == StatusCode::kCancelled) return why;
  // The command is on its way, so whatever the connection calls this, its effect is unknown.
  return Status(StatusCode::kUnknownOutcome, why.message());
}

Result<ScriptReply> ClientCore::Run(const ScriptCall& call, Use use, MonotonicTime by,
                                    ReplyTest worth_keeping) {
  return PendingCall(*this, call, use, by, worth_keeping).Finish();
}

Result<std::optional<std::string>> ClientCore::Pop(const std::string& key, MonotonicTime until,
                                                   const std::stop_token& stop) {
  Result<std::unique_ptr<Connection>> borrowed = Borrow();
  if (!borrowed.ok()) {
    DropIdle();
    return borrowed.status();
  }
  const MonotonicTime now = runtime_.Now();
  const std::chrono::milliseconds wait = BlockFor(now, until);
  const std::string seconds = BlockingSeconds(wait);
  const MonotonicTime overdue = AddSaturating(AddSaturating(now, wait), options_.command_timeout);
  const std::array<std::string_view, 3> command = {"BLPOP", key, seconds};
  const Status sent = (*borrowed)->Send(command, AddSaturating(now, options_.command_timeout));
  Result<Reply> reply = sent;
  if (sent.ok()) {
    reply = (*borrowed)->ReceiveUnlessStopped(overdue, stop, options_.command_timeout);
    if (!reply.ok()) reply = AfterSending(reply.status());
  }
  if (reply.ok() && reply->IsNil()) {
    GiveBack(std::move(*borrowed));
    return std::optional<std::string>();
  }
  // The key's name, then the element.
  if (reply.ok() && reply->IsArray() && reply->elements.size() == 2) {
    GiveBack(std::move(*borrowed));
    return std::optional<std::string>(std::move(reply->elements[1].text));
  }
  borrowed->reset();
  // That this one was given up says nothing of the others.
  if (!stop.stop_requested()) DropIdle();
  if (!reply.ok()) return reply.status();
  if (reply->IsError()) return StatusOfErrorReply(reply->text, key);
  return Status(StatusCode::kProtocolError, "the server answered BLPOP in an unknown form");
}

void ClientCore::Pause(Duration pause, const std::stop_token& stop) {
  const std::unique_ptr<Event> stopped = runtime_.NewEvent();
  const std::stop_callback wake(stop, [&stopped] { stopped->Set(); });
  stopped->WaitUntil(AddSaturating(runtime_.Now(), pause));
}

void ClientCore::PauseBeforeRetry(const Trouble& trouble) {
  const Duration pause = ShortPause(trouble.failures, RandomNumber(runtime_));
  TellRetried(trouble, pause);
  Pause(pause);
}

void ClientCore::TellRetried(const Trouble& trouble, Duration pause) const {
  if (!teller_) return;
  teller_.Tell({.kind = Observation::Kind::kRetried,
                .resource = trouble.resource,
                .attempt = trouble.failures,
                .status = trouble.status,
                .duration = pause});
}

void ClientCore::TellWaiting(const std::string& resource, MonotonicTime until) {
  if (!teller_) return;
  teller_.Tell({.kind = Observation::Kind::kWaiting,
                .resource = resource,
                .duration = std::max(until - runtime_.Now(), Duration(0))});
}

void ClientCore::PauseAfterFailures(const Trouble& trouble, const RetryOptions& retry,
                                    MonotonicTime deadline, const std::stop_token& stop) {
  const Duration pause = PauseAfter(trouble.failures, retry, RandomNumber(runtime_));
  const MonotonicTime now = runtime_.Now();
  if (deadline <= now) return;
  const Duration used = deadline == kNever ? pause : std::min(pause, deadline - now);
  TellRetried(trouble, used);
  Pause(used, stop);
}

}  // namespace interlock::internal
