// SPDX-License-Identifier: MIT
//
// Locks that renew automatically must do what they say. False validity (LK014 d): the lock lets a
// held lease expire that it could have renewed, or keeps renewing it for longer than it says. That
// it believes in a renewal which the server did not make is LK006 (ownership.h).
//
// A lease could have been kept if no fault met its client after the grant, or if the faults were
// over soon enough: the client had more than five eighths of a lease left to reach the server, and
// sent nothing. A lock that renews every half lease, and learns of a fault only then, has less time
// than that. Non-guarantee: whatever a fault may still have delayed is excused, for as long as
// Bounds::OverrunBound allows for an answer.
#pragma once

#include <optional>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// How long after its grant a lock keeps a lease alive, and how long it may wait for an answer.
struct KeptAlive {
  Duration at_least{};              ///< 0: it does not renew
  std::optional<Duration> at_most;  ///< nullopt: for as long as it is held
  Duration overrun{};
};

/// What the lock claims about itself.
KeptAlive KeptAliveBy(const harness::Subject& subject, const harness::LockOptions& options);

/// LK014 d, after the run. The remainder of the minimum time at the last renewal may be short, and
/// clocks differ. Appends at most one violation of each kind, the earliest.
void JudgeKeptAlive(const History& history, const KeptAlive& said,
                    std::vector<Violation>& violations);

}  // namespace interlock::scenarios
