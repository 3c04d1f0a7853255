// SPDX-License-Identifier: MIT
//
// Compares what a client is told with the entries that the servers have at that instant, and notes
// what contradicts it (observations.h). If a server has forgotten an entry within its promise,
// either answer is right. All of it is for subjects that show who owns them.
//
// Thread safety: pure functions of a History, which they append to.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// The latest entry of this client and token on any server; for a quorum, the one whose end ends
/// the quorum. nullptr if there was none.
const ServerHold* FindServerHold(const History& history, int client, const std::string& token);

/// A release of `hold` was answered "released".
void CompareReleased(const ClientHold& hold, VirtualTime now, History& history);

/// An extension of `hold`, called at `called`, was answered "extended". `called_ms` is the lowest
/// reading of the server's clock since.
void CompareExtended(const ClientHold& hold, VirtualTime called, std::int64_t called_ms,
                     VirtualTime now, History& history);

/// At `now` the lock told the client that `hold` is valid until `until`, later than before, without
/// having been asked to extend it. A server whose clock was set, or that was replaced, may have
/// promised anything.
void CompareRenewed(const ClientHold& hold, VirtualTime until, VirtualTime now, History& history);

/// An operator was answered. "Released" is wrong if the holder still had the lock; "not owner" is
/// wrong if the holder had it throughout, or lost it to this very release. For a lock that recalls
/// releases (see harness::Traits), so is "released" if the lease had expired, and "not owner" if
/// the same operator was told "released" before and nothing has happened since. Locks that nest are
/// not looked at: their holders are holds.
void CompareForced(const Force& force, History& history);

}  // namespace interlock::scenarios
