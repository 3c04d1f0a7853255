// SPDX-License-Identifier: MIT
//
// Ownership in the server, by what was noted while the run went on (log/observations.h):
//   - server exclusion (LK001) or, of a semaphore, permits at the server (LK013): a grant beside
//     promises that went on, or under another limit;
//   - foreign release (LK005): another's entry was removed, or altered by a release, or somebody
//   was
//     told "released" of nothing;
//   - foreign extend (LK006): another's lease was prolonged, or one that was over, or none;
//   - spurious refusal (LK010): an operator was told that it took nothing, but did or could have.
#pragma once

#include <interlock/harness/kind.h>

#include "scenarios/judge/property.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends all of these violations in the order in which they were noted: of what one command did,
/// the cause comes before the effect. So it judges for several rows at once, and before the others.
void JudgeObserved(const History& history, const harness::Kind& kind, Violations& found);

}  // namespace interlock::scenarios
