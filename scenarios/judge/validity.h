// SPDX-License-Identifier: MIT
//
// False validity (LK014): (a) an acquire succeeds although, on the client's own clock, nothing is
// left of the lease since the request was sent, or although the server had never granted; (b) the
// lock tells its user "valid" later than its own validity's end, or after it has learned of a loss;
// or it offers to tell of a loss, and has not done so by kNotice after the validity's end; (c) it
// calls its user to tell of a loss twice, without one, or when the hold was given back; (d) it says
// that it renews by itself, and lets the lease of a holder run out whom no fault has met, or
// prolongs it for longer than it says.
#pragma once

#include <optional>
#include <vector>

#include <interlock/harness/lock.h>

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

/// For how long since its grant a lock keeps a lease alive.
struct KeptAlive {
  Duration at_least{};              ///< 0: it does not renew
  std::optional<Duration> at_most;  ///< nullopt: for as long as it is held
};

/// What the lock says of itself.
KeptAlive KeptAliveBy(const harness::Subject& subject, const harness::LockOptions& options);

/// (d), after the run. What is left of the least time when a lease is renewed for the last time may
/// be short, and clocks differ. Appends one violation of each kind at most, the earliest.
void JudgeKeptAlive(const History& history, const KeptAlive& said,
                    std::vector<Violation>& violations);

/// (b), at once: the client was not told of the loss by `now`, though it had the time to be.
void JudgeUntold(int client, VirtualTime until, VirtualTime now,
                 std::vector<Violation>& violations);

}  // namespace interlock::scenarios
