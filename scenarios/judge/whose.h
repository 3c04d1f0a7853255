// SPDX-License-Identifier: MIT
//
// Whose an ownership entry is. A token that one client's requests alone have shown says so; where
// several have shown it, or nobody has, it is taken to be the one's whose connection carried the
// command that made it.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "scenarios/judge/ledger.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Whose the new entry with this token is, that a command of the client has made; -1: nobody's yet.
int OwnerOfNew(const std::string& token, int client, Doing doing, const History& history);

/// Whose request has shown the token, be it over by now: what it asks for it asks for under its own
/// limit. Who hands something over that nobody has asked for does not ask; -1: nobody knows.
int AskedBy(const std::string& token, int client, Doing doing, const History& history);

/// An entry of another client that has another end since a command of this one was made anew by it,
/// under a token that says nothing of who has it.
bool IsNewGrant(const std::string& token, int client, Doing doing, const History& history);

/// Whether its client was granted the entry and has not begun to give it back.
bool IsOut(const History& history, const ServerHold& entry);

/// Whether the entry is another's than the client's, whose command has changed or removed it. Users
/// of one process share the lock's objects: of its own accord the lock may deal with the entries of
/// all of them, and clean up for one of them in a command of another's what was never shown to its
/// user, or is being given back.
bool IsForeign(int client, Doing doing, const ServerHold& entry, const History& history);

/// All entries of the server end with one key's TTL, and have done so before the client's command,
/// which has not shortened it, and one of them is its own: whoever comes or renews then prolongs it
/// for all, and nobody loses by that.
bool ProlongsForAll(int client, const Ledger::Look& look, const History& history);

}  // namespace interlock::scenarios
