// SPDX-License-Identifier: MIT
//
// What is expected of a lock on real servers, where that differs from a simulation: what cannot be
// judged there, and which specimens' faults no real run shows for sure. Thread safety: pure
// functions.
#pragma once

#include <string_view>
#include <vector>

#include <interlock/harness/traits.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/judge/judged.h"
#include "scenarios/locks/specimen.h"

namespace interlock::scenarios::real {

/// Why no real run of the scenario says anything about the property of such a lock, in half a
/// sentence; empty: it does.
std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits);

/// Why a specimen with these expected convictions may be acquitted of the property, in half a
/// sentence; empty: it must not.
std::string_view WhyItMayEscape(const std::vector<Conviction>& expected, Judged property);
/// Whether some runs in a hundred convict it of a property that it may be acquitted of.
bool IsSeenByChance(const std::vector<Conviction>& expected, Judged property);

}  // namespace interlock::scenarios::real
