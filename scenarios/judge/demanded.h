// SPDX-License-Identifier: MIT
//
// Which properties a scenario demands of a lock, and which of them no lock can promise there.
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {

/// What the scenario judges for a subject of these traits; if the lock's owners in the server
/// cannot be seen, what needs them is left out.
std::vector<Judged> JudgedFor(const Scenario& scenario, const harness::Traits& traits,
                              bool shows_ownership = true);
std::vector<Judged> JudgedFor(const Scenario& scenario, const harness::Subject& subject);

/// Why no lease lock of these traits can promise the property in this scenario and class, in half a
/// sentence; empty: it can, and must.
std::string_view WhyNotPromised(Judged property, const Scenario& scenario, SynchronyClass synchrony,
                                const harness::Traits& traits);

/// The scenario's weakness in the property (as JudgedFor gives it), for a lock with these traits;
/// null: none.
const Weakness* FindWeakness(const Scenario& scenario, Judged property, SynchronyClass synchrony,
                             const harness::Traits& traits);

}  // namespace interlock::scenarios
