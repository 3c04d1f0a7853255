// SPDX-License-Identifier: MIT
#include "src/waiting.h"

#include <string>
#include <utility>

#include "src/lease_protocol.h"
#include "src/retry.h"

namespace interlock::internal {
namespace {

/// The state of one call of Wait.
class Waiter {
 public:
  Waiter(LeaseProtocol& lock, MonotonicTime deadline, const std::stop_token& stop)
      : lock_(lock), deadline_(deadline), stop_(stop) {}

  Result<Grant> Run() {
    for (;;) {
      Attempt attempt = Next();
      if (attempt.kind == Attempt::Kind::kGranted) return std::move(attempt.grant);
      if (attempt.kind == Attempt::Kind::kFailed) {
        if (!IsRetryable(attempt.status.code())) {
          // Refused for its settings: another waiter could have been let in.
          const bool unfit = attempt.status.code() == StatusCode::kInvalidArgument;
          if (woken_ && unfit) lock_.HandOn();
          return Ended(attempt);
        }
        orphan_ = std::move(attempt.orphan);
        const bool lost = attempt.status.outcome() == Outcome::kUnknown;
        if (lost && orphan_.empty()) adrift_ = attempt.status;
        last_failure_ = std::move(attempt.status);
        if (Over()) return GiveUp();
        lock_.PauseAfter(++failed_tries_, last_failure_, deadline_, stop_);
        if (stop_.stop_requested()) return Stopped();
        continue;
      }
      failed_tries_ = 0;
      last_failure_ = Status();
      refused_ = true;
      standing_ = std::move(attempt.standing);
      stands_until_ = attempt.stands_until;
      if (Over()) return GiveUp();
      if (Status slept = Sleep(attempt.owner_ttl); !slept.ok()) return slept;
    }
  }

 private:
  bool Over() {
    const MonotonicTime now = lock_.Now();
    return now >= deadline_ || stop_.stop_requested();
  }

  /// A new try, once nothing is left of the last one: two unconfirmed tries at a time would make
  /// the waiter wait for itself.
  Attempt Next() {
    if (!orphan_.empty()) {
      Status settled = lock_.Abandon(orphan_, 1).status();
      if (!settled.ok()) {
        Attempt failed;
        const bool retry = IsRetryable(settled.code());
        failed.status =
            retry ? Status(StatusCode::kUnknownOutcome, settled.message()) : std::move(settled);
        failed.orphan = orphan_;
        return failed;
      }
      orphan_.clear();
    }
    const bool last = stop_.stop_requested();
    return lock_.TryOnce(standing_, refused_, last ? MonotonicTime::min() : deadline_, ++tries_);
  }

  /// Not ok only if waiting makes no sense any more.
  Status Sleep(std::chrono::milliseconds owner_ttl) {
    const MonotonicTime until = LookAgainAt(lock_.Now(), owner_ttl, deadline_,
                                            lock_.polls() ? NextPoll() : lock_.retry().max_wait);
    lock_.client().TellWaiting(lock_.resource(), until);
    if (lock_.polls()) {
      lock_.client().Pause(until - lock_.Now(), stop_);
      return Status();
    }
    const auto popped = lock_.client().Pop(lock_.signal_key(), until, stop_);
    if (popped.ok()) {
      if (popped->has_value()) woken_ = true;
      failed_sleeps_ = 0;
      return Status();
    }
    if (!IsRetryable(popped.code())) return popped.status();
    // The connection may have died with a hint in it, so the first time there is no pause.
    if (++failed_sleeps_ > 1) {
      lock_.PauseAfter(failed_sleeps_ - 1, popped.status(), deadline_, stop_);
    } else if (!stop_.stop_requested()) {
      lock_.client().TellRetried({lock_.resource(), 1, popped.status()}, Duration(0));
    }
    return Status();
  }

  /// The same pauses as after failures.
  Duration NextPoll() { return PauseAfter(++polls_, lock_.retry(), RandomNumber(lock_.runtime())); }

  /// A try that need not be repeated; an earlier one may still be granted all the same.
  Status Ended(const Attempt& attempt) const {
    if (!adrift_.ok() && attempt.status.code() != StatusCode::kCancelled) {
      return Status(StatusCode::kUnknownOutcome,
                    attempt.status.ToString() + "; before: " + adrift_.message());
    }
    const bool definite = attempt.orphan.empty() || attempt.status.outcome() == Outcome::kUnknown ||
                          attempt.status.code() == StatusCode::kCancelled;
    if (definite) return attempt.status;
    return Status(StatusCode::kUnknownOutcome, attempt.status.ToString());
  }

  /// In a pause after a failed try. No hint is owed another one.
  Status Stopped() {
    if (!orphan_.empty() && lock_.Abandon(orphan_, 1).ok()) orphan_.clear();
    return GiveUp();
  }

  Status GiveUp() {
    if (!orphan_.empty()) return last_failure_;
    if (!adrift_.ok()) return adrift_;
    if (Status left = LeaveTheLine(); !left.ok()) return left;
    if (woken_) lock_.HandOn();
    return NoGrant(lock_.resource(), stop_.stop_requested(), last_failure_);
  }

  /// What stands in the server for this wait ends with its deadline, and the last try takes it away
  /// anyhow. It is left over only if a reply came late or the last try was not sent.
  Status LeaveTheLine() {
    if (standing_.empty() || lock_.Now() >= stands_until_) return Status();
    const Status left =
        lock_.Abandon(standing_, lock_.client().options().cleanup_attempts).status();
    if (left.ok() || left.code() == StatusCode::kCancelled) return left;
    return Status(StatusCode::kUnknownOutcome,
                  "nothing is held, but others may be kept out for "
                  "the rest of a lease; clean-up: " +
                      left.ToString());
  }

  LeaseProtocol& lock_;
  const MonotonicTime deadline_;
  const std::stop_token& stop_;
  std::string standing_;  ///< token that stands in the server for this wait
  MonotonicTime stands_until_{};
  bool refused_ = false;
  bool woken_ = false;  // by a hint, at any time of this wait
  std::string orphan_;  ///< token of a try that may still be granted
  Status adrift_;       ///< of a try that may still be granted, and that nobody can bar
  Status last_failure_;
  int tries_ = 0;
  int polls_ = 0;
  int failed_tries_ = 0;
  int failed_sleeps_ = 0;
};

}  // namespace

Result<Grant> Wait(LeaseProtocol& lock, MonotonicTime deadline, const std::stop_token& stop) {
  return Waiter(lock, deadline, stop).Run();
}

Status ReleaseStatus(ReleaseReply reply, bool unknown) {
  switch (reply) {
    case ReleaseReply::kReleased:
    case ReleaseReply::kReleasedEarlier:
      return Status();
    case ReleaseReply::kSuperseded:
      if (!unknown) break;
      return Status(StatusCode::kUnknownOutcome,
                    "no longer held; whether it was released or its lease ended is not known");
    case ReleaseReply::kNotOwner:
      break;
  }
  return Status(StatusCode::kNotOwner, "it was no longer held");
}

}  // namespace interlock::internal
