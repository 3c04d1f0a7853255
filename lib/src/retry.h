// SPDX-License-Identifier: MIT
//
// The arithmetic of validity, waiting and pauses: pure functions, so that every edge can be tested
// without a clock. All of it saturates; none of it uses floating point.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::internal {

/// The end of a holder's belief: `sent` + lease - allowance. Counted from sending, because the
/// lease began somewhere between then and the reply.
MonotonicTime ValidUntil(MonotonicTime sent, Duration lease, int drift_per_mille);

/// kInvalidArgument if an extension to `lease` is out of range.
Status CheckLease(Duration lease);

/// The pause before try number `failures` + 1 (`failures` >= 1): first_pause doubled for each
/// further failure, at most max_pause, less up to a half of it by `random`.
Duration PauseAfter(int failures, const RetryOptions& options, std::uint32_t random);

/// The pause before try `attempt` (1, 2, ...) of a bounded series such as a clean-up: 25 ms,
/// doubled for each further try, at most 200 ms, less up to a half of it by `random`.
Duration ShortPause(int attempt, std::uint32_t random);
/// The most that a series of `attempts` pauses in all.
Duration ShortPauses(int attempts);

/// When a lease that is valid until `end` is renewed next: when a third of what is left has passed,
/// so that two thirds are there for what goes wrong.
MonotonicTime RenewAt(MonotonicTime now, MonotonicTime end);
/// The same after `failures` (>= 1) renewals that failed: ShortPause, or sooner if little is left.
MonotonicTime RenewAgainAt(MonotonicTime now, MonotonicTime end, int failures,
                           std::uint32_t random);

/// By when a renewal that begins at `now` has to be over for the sake of a lease whose turn is at
/// `when` and that is valid until `end`: a half of what is left then is still there after `visits`
/// (>= 1) that all take as long; but a single one has 100 ms, if that leaves a half.
MonotonicTime BackBy(MonotonicTime now, MonotonicTime when, MonotonicTime end, int visits);

/// When a waiter that was refused at `now` should look again: once the owner's lease is surely over
/// (1 ms after `owner_ttl`, because at its last millisecond a key is still there; a negative
/// `owner_ttl` is unknown), but not after `deadline`, and after `cap` at the latest.
MonotonicTime LookAgainAt(MonotonicTime now, std::chrono::milliseconds owner_ttl,
                          MonotonicTime deadline, Duration cap);

/// `until` - `now` in whole milliseconds, rounded up, at least 1: zero would mean "for ever" to the
/// server. REQUIRES: not kNever.
std::chrono::milliseconds BlockFor(MonotonicTime now, MonotonicTime until);

/// The time-out argument of a blocking pop: seconds with three decimals, "0.250".
std::string BlockingSeconds(std::chrono::milliseconds wait);

/// The answer to a call for `resource` whose stop token was requested to stop before it.
Status StoppedBefore(const std::string& resource);

/// The answer of a wait for `resource` in which nothing was granted: kStopped or kTimeout. `last`:
/// the failure that it ended with; ok if it was refused.
Status NoGrant(const std::string& resource, bool stopped, const Status& last);

/// May the same try be repeated later with another result?
bool IsRetryable(StatusCode code);

/// What an error reply ("READONLY You can't ...") to a command says about its effect: kUnavailable:
/// refused before anything was done, and may work later or elsewhere; kInvalidArgument:
/// credentials; kProtocolError: anything else, the effect is unknown. `key`: one of those that the
/// command named; all of them begin alike up to the brace after the name.
Status StatusOfErrorReply(const std::string& text, const std::string& key);

}  // namespace interlock::internal
