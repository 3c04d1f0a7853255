// SPDX-License-Identifier: MIT
//
// False validity (LK014): (a) an acquire succeeds although, on the client's own clock, nothing is
// left of the lease since the request was sent, or although the server never granted; (b) the lock
// reports "valid" after its own validity has ended or after it has learned of a loss, or it offers
// loss notification and has not notified by kNotice after the validity's end; (c) it notifies of a
// loss twice, without one, or after the hold was given back. For locks that renew by themselves,
// (d) is judged in kept_alive.h.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends at most one violation of (a) and of (c), the earliest, and each of (b).
void JudgeFalseValidity(const History& history, std::vector<Violation>& violations);

/// Whether the lock must have known, when asked, that the validity had ended: at once if it had
/// announced that end itself, else kNotice later. A client that waits has waited long enough.
bool CameLate(const Question& question);
/// Whether any of them did.
bool AskedLate(const History& history);

}  // namespace interlock::scenarios
