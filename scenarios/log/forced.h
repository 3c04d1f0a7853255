// SPDX-License-Identifier: MIT
//
// Operators: a forced release takes the lock away from the one holder its operator has seen, and
// from nobody else. Taking it from others is LK005, as with any release.
//
// The victim's promise S ends at once; its belief and its section go on until it is told, which no
// lease lock can prevent. So they no longer count as conflicting with others.
#pragma once

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Whether the client, an operator, meant to remove this entry.
bool IsForced(const History& history, int client, const ServerHold& entry);

/// When an operator took the hold away from its client; kOpen if none did, or if the hold was a
/// hand-over that the client fetched only afterwards.
VirtualTime ForcedOutAt(const History& history, const ClientHold& hold);

/// From when the waiter was handed a grant it had not yet fetched until an operator took that away;
/// empty, at the end of time, if none was. The waiter has had its turn: nobody wakes it, and when
/// it looks again it goes to the back of the queue.
Interval TurnTakenAway(const History& history, const Attempt& waiter);

}  // namespace interlock::scenarios
