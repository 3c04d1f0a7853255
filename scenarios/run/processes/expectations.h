// SPDX-License-Identifier: MIT
//
// Where expectations of a lock on real servers differ from a simulation: what cannot be judged
// there, and which specimens' bugs no real run shows reliably. Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include <interlock/harness/traits.h>

#include "scenarios/cases/judged.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimen.h"

namespace interlock::scenarios::real {

/// Why no real run of the scenario says anything about the property for such a lock, as half a
/// sentence; empty: it does.
std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits);

/// Why a specimen with these expected convictions may be acquitted of the property, as half a
/// sentence; empty: it must not be.
std::string_view WhyItMayEscape(const std::vector<Conviction>& expected, Judged property);
/// Whether some runs in a hundred convict it of a property that it may be acquitted of.
bool IsSeenByChance(const std::vector<Conviction>& expected, Judged property);

}  // namespace interlock::scenarios::real
