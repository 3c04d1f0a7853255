// SPDX-License-Identifier: MIT
//
// Operators: a forced release takes the lock away from one holder, whom its operator has seen, and
// from nobody else. What it takes away of others is LK005, as of any release, and the ledger's.
//
// The victim's promise S ends with it; its belief and its section go on until it is told, and no
// lease lock can prevent that. So wherever it is in the way of others, it is no longer.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Whether the client, an operator, meant to take this entry away.
bool IsForced(const History& history, int client, const ServerHold& entry);

/// When the hold was taken away from its client by an operator; kOpen: it was not, or it had been
/// handed over and its client fetched that afterwards.
VirtualTime ForcedOutAt(const History& history, const ClientHold& hold);

/// From when the waiter was handed over what it had not fetched when an operator took it away,
/// until that; empty, at the end of time: nothing was. It has had its turn: nobody wakes it, and
/// when it looks again it comes last.
Interval TurnTakenAway(const History& history, const Attempt& waiter);

/// What the operator was told, when it has been told: "released" of a holder that had it still
/// (LK005); or "not owner" (LK010) of one that had it all the time, or that it was released from
/// just then. Of a lock that recalls its releases, see harness::Traits, also "released" of one
/// whose lease had ended; and "not owner" of one that the same operator had been told to be
/// released from when nothing has happened since. What the server has forgotten is excused. Of a
/// lock that nests, holders are holds, and not judged.
void JudgeForced(const Force& force, const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
