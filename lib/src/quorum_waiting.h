// SPDX-License-Identifier: MIT
//
// Waiting for a quorum: there is no one server to sleep in, so a waiter tries again after pauses.
// They grow, and are random, because clients that try in step split the nodes between them again
// and again, and none gets a quorum.
#pragma once

#include <cstddef>
#include <stop_token>

#include <interlock/lease.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::internal {

class QuorumProtocol;

/// Tries until granted, or until `deadline` (kNever: for ever). At least one try. kTimeout:
/// definitely not acquired. kUnknownOutcome: the leftovers of tries could not be removed from a
/// quorum of nodes by then. kCancelled, kInvalidArgument and kProtocolError end it at once. When
/// `stop` is requested, that is the deadline, and kStopped takes the place of kTimeout. YIELDS.
Result<Grant> WaitForQuorum(QuorumProtocol& lock, std::size_t nodes, MonotonicTime deadline,
                            const std::stop_token& stop);

}  // namespace interlock::internal
