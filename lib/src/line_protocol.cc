// SPDX-License-Identifier: MIT
#include "src/line_protocol.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "src/retry.h"

namespace interlock::internal {
namespace {

/// The state of one wait.
class WaiterInLine {
 public:
  WaiterInLine(LeaseProtocol& lock, const LineScripts& scripts, MonotonicTime deadline,
               const std::stop_token& stop)
      : lock_(lock),
        scripts_(scripts),
        deadline_(deadline),
        stop_(stop),
        token_(lock.client().NewToken()) {}

  Result<Grant> Run() {
    for (;;) {
      Attempt attempt = lock_.Ask(scripts_.Queue(token_), token_, ++asks_);
      if (attempt.kind == Attempt::Kind::kGranted) return Granted(std::move(attempt.grant));
      if (attempt.kind == Attempt::Kind::kRefused) {
        in_line_ = true;
        failed_asks_ = 0;
        last_failure_ = Status();
        if (Over()) return GiveUp();
        Result<std::optional<Grant>> turn = Sleep(attempt);
        if (!turn.ok()) return Leave(turn.status());
        if (turn->has_value()) return Granted(std::move(**turn));
        if (!turn_came_ && Over()) return GiveUp();
        continue;
      }
      if (!attempt.orphan.empty()) stray_ = in_line_ = true;
      if (attempt.unkept && BeginAnew().code() == StatusCode::kCancelled) {
        return Status(StatusCode::kCancelled, attempt.status.message());
      }
      if (!IsRetryable(attempt.status.code())) return Leave(attempt.status);
      last_failure_ = std::move(attempt.status);
      if (Over()) return GiveUp();
      lock_.PauseAfter(++failed_asks_, last_failure_, deadline_, stop_);
      if (stop_.stop_requested()) return GiveUp();
    }
  }

 private:
  bool Over() {
    const MonotonicTime now = lock_.Now();
    return now >= deadline_ || stop_.stop_requested();
  }

  Grant Granted(Grant grant) const {
    grant.stray = stray_;
    return grant;
  }

  /// The grant, if one came that is worth having. Not ok only if waiting makes no sense any more.
  Result<std::optional<Grant>> Sleep(const Attempt& refused) {
    const MonotonicTime until =
        LookAgainAt(lock_.Now(), refused.owner_ttl, deadline_, lock_.retry().max_wait);
    lock_.client().TellWaiting(lock_.resource(), until);
    const auto popped = lock_.client().Pop(scripts_.Turn(token_), until, stop_);
    if (popped.ok()) {
      failed_sleeps_ = 0;
      turn_came_ = popped->has_value();
      return turn_came_ ? Accept(**popped, refused.sent) : std::optional<Grant>();
    }
    turn_came_ = false;
    if (!IsRetryable(popped.code())) return popped.status();
    if (++failed_sleeps_ > 1) {
      lock_.PauseAfter(failed_sleeps_ - 1, popped.status(), deadline_, stop_);
    } else if (!stop_.stop_requested()) {
      lock_.client().TellRetried({lock_.resource(), 1, popped.status()}, Duration(0));
    }
    return std::optional<Grant>();
  }

  /// The lease began after the waiter had been refused for the last time, nobody knows when. If
  /// that leaves too little of it, the server is asked, which makes it whole again; and also if
  /// replicas have to acknowledge it.
  Result<std::optional<Grant>> Accept(const std::string& element, MonotonicTime refused) {
    const Result<std::uint64_t> fence = ParseTurn(element);
    if (!fence.ok()) return fence.status();
    if (lock_.client().options().acknowledged_by.asked()) return std::optional<Grant>();
    Grant grant = lock_.GrantSince(refused, token_, *fence);
    if (grant.valid_until - lock_.Now() < lock_.default_lease() / 2) return std::optional<Grant>();
    return std::optional<Grant>(std::move(grant));
  }

  /// Gives back what was granted, and goes to the end of the line. If that fails, the same token
  /// stays, and may be granted the resource once more.
  Status BeginAnew() {
    Status left = lock_.Abandon(token_, lock_.client().options().cleanup_attempts).status();
    if (!left.ok()) return left;
    token_ = lock_.client().NewToken();
    stray_ = in_line_ = false;
    return left;
  }

  Status GiveUp() {
    return Leave(NoGrant(lock_.resource(), stop_.stop_requested(), last_failure_));
  }

  /// `why`, once the token is out of the line and cannot get into it again.
  Status Leave(const Status& why) {
    if (!in_line_ || why.code() == StatusCode::kCancelled) return why;
    const Status left = lock_.Abandon(token_, lock_.client().options().cleanup_attempts).status();
    if (left.ok() || left.code() == StatusCode::kCancelled) return left.ok() ? why : left;
    // A server that answers both in an unknown form would answer no better later.
    const StatusCode both = why.code() == left.code() && why.code() == StatusCode::kProtocolError
                                ? StatusCode::kProtocolError
                                : StatusCode::kUnknownOutcome;
    if (both == StatusCode::kProtocolError && why.message() == left.message()) return why;
    return Status(both, why.message() + "; leaving the line: " + left.ToString());
  }

  LeaseProtocol& lock_;
  const LineScripts& scripts_;
  const MonotonicTime deadline_;
  const std::stop_token& stop_;
  std::string token_;
  bool in_line_ = false;    ///< or may be
  bool turn_came_ = false;  ///< the last sleep ended with a grant
  bool stray_ = false;      ///< a request of it may still be on its way
  Status last_failure_;
  int asks_ = 0;
  int failed_asks_ = 0;
  int failed_sleeps_ = 0;
};

}  // namespace

LineProtocol::LineProtocol(ClientCore& client, std::shared_ptr<const LineScripts> scripts,
                           int drift_per_mille, const RetryOptions& retry)
    : scripts_(std::move(scripts)), protocol_(client, scripts_, drift_per_mille, retry) {}

Result<Grant> LineProtocol::AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) {
  if (protocol_.Now() < deadline) return WaiterInLine(protocol_, *scripts_, deadline, stop).Run();
  Result<Grant> tried = Try();
  if (tried.code() != StatusCode::kNotAcquired) return tried;
  return Status(StatusCode::kTimeout, tried.status().message());
}

Status LineProtocol::Release(Grant& grant) {
  Status released = protocol_.Release(grant);
  if (grant.stray && released.outcome() != Outcome::kUnknown) {
    grant.stray = !protocol_.Abandon(grant.token, 1).ok();
  }
  return released;
}

}  // namespace interlock::internal
