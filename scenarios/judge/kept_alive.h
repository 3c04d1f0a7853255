// SPDX-License-Identifier: MIT
//
// Locks that renew by themselves keep their word.
//   - False validity (LK014 d): the lock says that it renews, and lets the lease of a holder run
//     out that it could have kept; or it prolongs it for longer than it says.
//   - Foreign extend (LK006 c): it believes in a renewal that the server has not made.
//
// A lease could have been kept if no fault has met its client since the grant, and also if one has
// that was soon over: if the client could speak for more than five eighths of a lease before the
// end, and sent nothing. Who renews each half, and hears of a fault only then, has less.
// Non-guarantee: what a fault may still have held up is excused, for as long as
// Bounds::OverrunBound says that an answer is waited for.
#pragma once

#include <optional>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// For how long since its grant a lock keeps a lease alive, and how long it may wait for an answer.
struct KeptAlive {
  Duration at_least{};              ///< 0: it does not renew
  std::optional<Duration> at_most;  ///< nullopt: for as long as it is held
  Duration overrun{};
};

/// What the lock says of itself.
KeptAlive KeptAliveBy(const harness::Subject& subject, const harness::LockOptions& options);

/// LK014 d, after the run. What is left of the least time when a lease is renewed for the last time
/// may be short, and clocks differ. Appends one violation of each kind at most, the earliest.
void JudgeKeptAlive(const History& history, const KeptAlive& said,
                    std::vector<Violation>& violations);

/// LK006 c, at once: at `now` the lock has told the client that `hold` is valid until `until`, a
/// later end than before, without having been asked to extend it. A server whose clock was set, or
/// that was replaced, may have promised anything.
void JudgeRenewed(const ClientHold& hold, VirtualTime until, VirtualTime now,
                  const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
