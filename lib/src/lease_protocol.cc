// SPDX-License-Identifier: MIT
#include "src/lease_protocol.h"

#include <chrono>
#include <utility>

#include "src/retry.h"
#include "src/waiting.h"

namespace interlock::internal {
namespace {

Attempt Failed(Status status) {
  Attempt attempt;
  attempt.status = std::move(status);
  return attempt;
}

bool IsGrant(const Reply& reply) {
  const Result<AcquireReply> parsed = ParseAcquire(reply);
  return parsed.ok() && parsed.value().kind == AcquireReply::Kind::kGranted;
}

bool IsSetFlag(const Reply& reply) {
  const Result<bool> flag = ParseFlag(reply);
  return flag.ok() && flag.value();
}

Result<AcquireReply> ParseAcquireFlag(const Reply& reply) {
  const Result<bool> granted = ParseFlag(reply);
  if (!granted.ok()) return granted.status();
  AcquireReply parsed;
  parsed.kind = *granted ? AcquireReply::Kind::kGranted : AcquireReply::Kind::kRefused;
  parsed.owner_ttl = Milliseconds(-1);
  return parsed;
}

Status LongerThanItsLease(Milliseconds asked, Milliseconds lease) {
  return Status(StatusCode::kInvalidArgument,
                "lease is " + std::to_string(asked.count()) +
                    " ms: a mutex without fencing extends to its own lease at most, " +
                    std::to_string(lease.count()) + " ms");
}

Attempt Orphaned(Status status, const std::string& token) {
  Attempt attempt = Failed(std::move(status));
  attempt.orphan = token;
  return attempt;
}

}  // namespace

LeaseProtocol::LeaseProtocol(ClientCore& client, std::shared_ptr<const LockScripts> scripts,
                             int drift_per_mille, const RetryOptions& retry)
    : client_(client),
      scripts_(std::move(scripts)),
      drift_per_mille_(drift_per_mille),
      retry_(retry) {}

Attempt LeaseProtocol::TryOnce() {
  const std::string token = client_.NewToken();
  return Settled(token, Ask(scripts_->Acquire(token), token, 1));
}

Attempt LeaseProtocol::TryOnce(const std::string& standing, bool again, MonotonicTime deadline,
                               int number) {
  const std::string token = client_.NewToken();
  Turn turn{standing, {}, again};
  if (scripts_->leaves_waiters()) turn.patience = PatienceUntil(deadline);
  Attempt attempt = Settled(token, Ask(scripts_->AcquireWaiting(token, turn), token, number));
  const bool refused = attempt.kind == Attempt::Kind::kRefused;
  if (refused && turn.patience > Milliseconds{}) {
    attempt.standing = token;
    attempt.stands_until = AddSaturating(Now(), turn.patience);
  }
  return attempt;
}

Milliseconds LeaseProtocol::PatienceUntil(MonotonicTime deadline) {
  const MonotonicTime now = Now();
  if (deadline >= AddSaturating(now, scripts_->lease())) return scripts_->lease();
  return deadline <= now ? Milliseconds{} : std::chrono::floor<Milliseconds>(deadline - now);
}

Attempt LeaseProtocol::Ask(const ScriptCall& call, const std::string& token, int number) {
  const Teller& teller = client_.teller();
  if (teller) {
    teller.Tell({.kind = Observation::Kind::kAttempt,
                 .resource = resource(),
                 .token = token,
                 .attempt = number});
  }
  Attempt attempt =
      Answered(client_.Run(call, Use::kPooled, kNever, polls() ? IsSetFlag : IsGrant), token);
  if (teller && attempt.kind == Attempt::Kind::kRefused) {
    teller.Tell({.kind = Observation::Kind::kRefused,
                 .resource = resource(),
                 .token = token,
                 .attempt = number,
                 .duration = attempt.owner_ttl});
  }
  return attempt;
}

Attempt LeaseProtocol::Answered(const Result<ScriptReply>& answer, const std::string& token) {
  if (!answer.ok()) {
    const bool unknown = answer.outcome() == Outcome::kUnknown;
    return unknown ? Orphaned(answer.status(), token) : Failed(answer.status());
  }
  if (!answer->kept.ok()) {
    Attempt granted = Orphaned(answer->kept, token);
    granted.unkept = true;
    return granted;
  }
  const Result<AcquireReply> reply =
      polls() ? ParseAcquireFlag(answer->reply) : ParseAcquire(answer->reply);
  if (!reply.ok()) return Orphaned(reply.status(), token);
  Attempt attempt;
  switch (reply->kind) {
    case AcquireReply::Kind::kGranted:
      attempt.kind = Attempt::Kind::kGranted;
      attempt.grant = GrantSince(answer->sent, token, reply->fencing_token);
      if (Now() < attempt.grant.valid_until) return attempt;
      return Orphaned(Status(StatusCode::kUnavailable, "the reply took longer than the lease"),
                      token);
    case AcquireReply::Kind::kRefused:
      attempt.kind = Attempt::Kind::kRefused;
      attempt.owner_ttl = reply->owner_ttl;
      attempt.sent = answer->sent;
      return attempt;
    case AcquireReply::Kind::kOtherLimit:
      return Failed(scripts_->OtherLimit(reply->limit));
    case AcquireReply::Kind::kCancelled:
      break;
  }
  // Nobody else knows the token, so this cannot be answered to one that has not been given up.
  return Failed(Status(StatusCode::kProtocolError, "the server calls a new try cancelled"));
}

Grant LeaseProtocol::GrantSince(MonotonicTime sent, std::string token,
                                std::uint64_t fencing_token) const {
  Grant grant;
  grant.token = std::move(token);
  grant.fencing_token = fencing_token;
  grant.valid_until = ValidUntil(sent, scripts_->lease(), drift_per_mille_);
  return grant;
}

Attempt LeaseProtocol::Settled(const std::string& token, Attempt attempt) {
  if (attempt.orphan.empty()) return attempt;
  return Undone(token, attempt.status, attempt.unkept);
}

Attempt LeaseProtocol::Undone(const std::string& token, const Status& cause, bool answered) {
  const Result<bool> removed = Abandon(token, client_.options().cleanup_attempts);
  const Status undone = removed.status();
  if (undone.code() == StatusCode::kCancelled) return Failed(undone);
  const bool puzzling = cause.code() == StatusCode::kProtocolError;
  if (undone.ok()) {
    const bool unsettled = cause.outcome() == Outcome::kUnknown && !answered && !*removed;
    if (unsettled && scripts_->leaves_owner_alone()) {
      return Failed(Status(StatusCode::kUnknownOutcome,
                           cause.message() + "; it may still take effect, for nobody"));
    }
    return Failed(puzzling ? cause : Status(StatusCode::kUnavailable, cause.message()));
  }
  const std::string message = cause.message() + "; clean-up: " + undone.ToString();
  // A server that answers both, and both in this way, would answer a further clean-up no better.
  if (puzzling && undone.code() == StatusCode::kProtocolError) {
    const bool same = undone.message() == cause.message();
    return Failed(same ? cause : Status(StatusCode::kProtocolError, message));
  }
  return Orphaned(Status(StatusCode::kUnknownOutcome, message), token);
}

Result<bool> LeaseProtocol::Abandon(const std::string& token, int attempts) {
  const ScriptCall call = scripts_->Abandon(token);
  Status last;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0) client_.PauseBeforeRetry({resource(), attempt, last});
    const Result<ScriptReply> answer = client_.Run(call, Use::kFresh);
    if (answer.ok()) return ParseFlag(answer->reply);
    last = answer.status();
    if (!IsRetryable(last.code())) return last;
  }
  return last;
}

void LeaseProtocol::HandOn() {
  if (const auto call = scripts_->HandOn()) (void)client_.Run(*call, Use::kPooled);
}

Result<Grant> LeaseProtocol::Try() {
  Attempt attempt = TryOnce();
  switch (attempt.kind) {
    case Attempt::Kind::kGranted:
      return std::move(attempt.grant);
    case Attempt::Kind::kRefused:
      return Status(StatusCode::kNotAcquired, scripts_->Refusal());
    case Attempt::Kind::kFailed:
      break;
  }
  return attempt.status;
}

Result<Grant> LeaseProtocol::AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) {
  return Wait(*this, deadline, stop);
}

Result<MonotonicTime> LeaseProtocol::Extend(const Grant& grant, Duration lease) {
  if (Status valid = CheckLease(lease); !valid.ok()) return valid;
  const Milliseconds rounded = std::chrono::floor<Milliseconds>(lease);
  if (scripts_->leaves_owner_alone() && rounded > scripts_->lease()) {
    return LongerThanItsLease(rounded, scripts_->lease());
  }
  const Result<ScriptReply> answer = client_.Run(scripts_->Extend(grant.token, rounded),
                                                 Use::kPooled, grant.valid_until, IsSetFlag);
  if (!answer.ok()) return answer.status();
  if (!answer->kept.ok()) return answer->kept;
  const Result<bool> extended = ParseFlag(answer->reply);
  if (!extended.ok()) return extended.status();
  if (!*extended) return Status(StatusCode::kNotOwner, scripts_->resource() + " is no longer held");
  return ValidUntil(answer->sent, rounded, drift_per_mille_);
}

Status LeaseProtocol::Release(Grant& grant) {
  const ScriptCall call = grant.forced ? scripts_->ForceRelease(grant.token, grant.fencing_token)
                                       : scripts_->Release(grant.token, grant.fencing_token);
  Status last;
  for (int attempt = 0; attempt < client_.options().release_attempts; ++attempt) {
    if (attempt > 0) client_.PauseBeforeRetry({resource(), attempt, last});
    const Use use = attempt == 0 ? Use::kPooled : Use::kFresh;
    const Result<ScriptReply> answer = client_.Run(call, use);
    Result<ReleaseReply> reply =
        answer.ok() ? ParseRelease(answer->reply) : Result<ReleaseReply>(answer.status());
    if (reply.ok()) {
      const bool traceless = *reply == ReleaseReply::kNotOwner && scripts_->leaves_owner_alone();
      return ReleaseStatus(traceless ? ReleaseReply::kSuperseded : *reply, grant.release_unknown);
    }
    last = reply.status();
    if (last.outcome() == Outcome::kUnknown) grant.release_unknown = true;
    if (!IsRetryable(last.code())) break;
  }
  if (!grant.release_unknown || last.code() == StatusCode::kCancelled) return last;
  return Status(StatusCode::kUnknownOutcome, last.message());
}

Result<Inspection> LeaseProtocol::Inspect() {
  const Result<ScriptReply> answer = client_.Run(scripts_->Inspect(), Use::kPooled);
  return answer.ok() ? ParseInspection(answer->reply) : answer.status();
}

}  // namespace interlock::internal
