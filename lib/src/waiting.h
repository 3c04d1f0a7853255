// SPDX-License-Identifier: MIT
//
// Waiting without polling: a refused waiter sleeps in the server on the lock's list of hints until
// one arrives or the owner's lease is over, and then tries again. A hint is only a hint: a waiter
// that takes one always tries once more, even at the deadline, and a lost one costs no more than
// the owner's lease.
#pragma once

#include <stop_token>

#include <interlock/lease.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

class LeaseProtocol;

/// Tries and waits until granted, or until `deadline` (kNever: for ever). At least one try. A lost
/// connection is made again, with growing pauses, within the same deadline. kTimeout: definitely
/// not acquired. kUnknownOutcome: the last clean-up could not be confirmed by then. kCancelled,
/// kInvalidArgument and kProtocolError end it at once. When `stop` is requested, that is the
/// deadline, and kStopped takes the place of kTimeout. YIELDS.
Result<Grant> Wait(LeaseProtocol& lock, MonotonicTime deadline, const std::stop_token& stop);

/// What a release tells its caller. `unknown`: an earlier attempt of it may have been executed.
/// Then "others were granted since" proves nothing: that attempt has released, or the lease was
/// over, or the server has lost it. That the lease is valid on this client's clock would decide it
/// only if both clocks ran alike and the server forgot nothing.
Status ReleaseStatus(ReleaseReply reply, bool unknown);

}  // namespace interlock::internal
