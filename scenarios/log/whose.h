// SPDX-License-Identifier: MIT
//
// Who owns an ownership entry. A token shown by only one client's requests identifies its owner; if
// several or none have shown it, the owner is the client whose connection carried the command that
// made the entry. Thread safety: pure functions.
#pragma once

#include <string>

#include "scenarios/log/history.h"
#include "scenarios/log/ledger.h"

namespace interlock::scenarios {

/// The owner of the new entry with this token, made by a command of the client; -1: nobody yet.
int OwnerOfNew(const std::string& token, int client, Doing doing, const History& history);

/// The client whose request, finished or not, has shown the token: it asks under its own limit.
/// Handing over something nobody asked for is not asking; -1: nobody knows.
int AskedBy(const std::string& token, int client, Doing doing, const History& history);

/// Whether another client's entry, whose deadline a command of this client changed, was in fact
/// granted anew to this one, under a token that does not tell its owner.
bool IsNewGrant(const std::string& token, int client, Doing doing, const History& history);

/// Whether its client was granted the entry and has not begun to give it back.
bool IsOut(const History& history, const ServerHold& entry);

/// Whether the entry is left to end by its deadline as the lock says, see
/// harness::Bounds::StaysTakenFor: the release of its hold neither removed it nor has to.
bool StaysTaken(const History& history, const ServerHold& entry, const ClientHold& hold,
                VirtualTime returned);

/// Whether the entry, which a command of the client has changed or removed, belongs to somebody
/// else. Users of one process share the lock's objects: in the background the lock may touch the
/// entries of all of them, and in one user's command it may clean up for another one what was never
/// shown to it or is being given back.
bool IsForeign(int client, Doing doing, const ServerHold& entry, const History& history);

/// All entries of the server expire with one key's TTL, did so before the client's command, which
/// has not shortened it, and one of them is the client's own. Then any grant or renewal extends it
/// for all, and nobody loses by that.
bool ProlongsForAll(int client, const Ledger::Look& look, const History& history);

}  // namespace interlock::scenarios
