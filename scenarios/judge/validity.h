// SPDX-License-Identifier: MIT
//
// False validity (LK014): (a) an acquire succeeds although, on the client's own clock, nothing is
// left of the lease since the request was sent, or although the server had never granted; (b) the
// lock tells its user "valid" later than its own validity's end, or after it has learned of a loss;
// or it offers to tell of a loss, and has not done so by kNotice after the validity's end; (c) it
// calls its user to tell of a loss twice, without one, or when the hold was given back. What a lock
// that renews by itself owes (d) is judged in kept_alive.h.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// (a) and (c), after the run. Appends one violation at most of each, the earliest.
void JudgeFalseValidity(const History& history, std::vector<Violation>& violations);

/// Whether a lock that is asked at `asked` must know that the validity ended at `until`: at once if
/// it said so itself then (`told`), else kNotice later. kOpen: it has not ended.
bool MustKnowOfEnd(VirtualTime until, bool told, VirtualTime asked);

/// (b), at once: the client asked at `asked` whether the hold is valid and was told that it is,
/// though the lock must have known of its end at `until`.
void ConvictCalledValid(int client, VirtualTime until, VirtualTime asked,
                        std::vector<Violation>& violations);

/// (b), at once: the client was not told of the loss by `now`, though it had the time to be.
void JudgeUntold(int client, VirtualTime until, VirtualTime now,
                 std::vector<Violation>& violations);

struct Property;
extern const Property kFalseValidityProperty;

}  // namespace interlock::scenarios
