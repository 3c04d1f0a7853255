// SPDX-License-Identifier: MIT
#include "src/quorum_waiting.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "src/quorum_protocol.h"
#include "src/retry.h"
#include "src/token.h"

namespace interlock::internal {
namespace {

class QuorumWaiter {
 public:
  QuorumWaiter(QuorumProtocol& lock, std::size_t nodes, MonotonicTime deadline,
               const std::stop_token& stop)
      : lock_(lock), deadline_(deadline), stop_(stop), left_(nodes) {}

  Result<Grant> Run() {
    for (;;) {
      if (left_.count() > 0) lock_.Settle(left_);
      std::optional<Milliseconds> free_in;
      // With a quorum of unsettled nodes it would wait for itself.
      if (left_.count() < lock_.quorum()) {
        QuorumAttempt attempt = lock_.TryOnce(left_, ++tries_);
        const StatusCode code = attempt.grant.code();
        const bool refused = code == StatusCode::kNotAcquired;
        if (attempt.grant.ok() || !(refused || IsRetryable(code))) return std::move(attempt.grant);
        last_ = attempt.grant.status();
        refused_ = refused;
        if (refused) free_in = FreeIn(attempt.votes);
      }
      if (lock_.Now() >= deadline_ || stop_.stop_requested()) return GiveUp();
      Rest(free_in);
      if (stop_.stop_requested()) break;
    }
    if (left_.count() > 0) lock_.Settle(left_);
    return GiveUp();
  }

 private:
  /// A pause of its own length, but not much beyond the end of the leases that were in the way.
  void Rest(std::optional<Milliseconds> free_in) {
    RetryOptions pauses;
    pauses.first_pause = lock_.timing().first_pause;
    pauses.max_pause = lock_.timing().max_pause;
    Duration pause = PauseAfter(++pauses_, pauses, RandomNumber(lock_.runtime()));
    if (free_in && *free_in > Milliseconds(0) && *free_in < pause) {
      pause = std::min(pause, *free_in + Jitter(pauses.first_pause, RandomNumber(lock_.runtime())));
    }
    const MonotonicTime now = lock_.Now();
    if (deadline_ <= now) return;
    if (deadline_ != kNever) pause = std::min(pause, deadline_ - now);
    // To be refused is no failure.
    if (refused_) {
      lock_.first().TellWaiting(lock_.resource(), AddSaturating(now, pause));
    } else {
      lock_.first().TellRetried({lock_.resource(), pauses_, last_}, pause);
    }
    lock_.first().Pause(pause, stop_);
  }

  Status GiveUp() const {
    if (left_.count() >= lock_.quorum()) {
      return Status(StatusCode::kUnknownOutcome, last_.message());
    }
    return NoGrant(lock_.resource(), stop_.stop_requested(), last_);
  }

  QuorumProtocol& lock_;
  const MonotonicTime deadline_;
  const std::stop_token& stop_;
  Leftovers left_;
  Status last_;
  bool refused_ = false;  ///< the last try, by a quorum
  int tries_ = 0;
  int pauses_ = 0;
};

}  // namespace

Result<Grant> WaitForQuorum(QuorumProtocol& lock, std::size_t nodes, MonotonicTime deadline,
                            const std::stop_token& stop) {
  return QuorumWaiter(lock, nodes, deadline, stop).Run();
}

}  // namespace interlock::internal
