// SPDX-License-Identifier: MIT
//
// What is expected of a lock on real servers, where that differs from a simulation: what nobody can
// judge there, and which specimens' faults no real run shows for sure. Thread safety: pure
// functions.
#pragma once

#include <string_view>

#include <interlock/harness/traits.h>

#include "scenarios/oracles/judged.h"
#include "scenarios/scenario.h"

namespace interlock::scenarios::real {

/// Why no real run of the scenario says anything about the property of such a lock, in half a
/// sentence; empty: it does.
std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits);

/// Why the specimen may get away, in half a sentence; empty: it must not.
std::string_view WhyItMayEscape(std::string_view specimen, Judged property);
/// Of such a one, whether some runs in a hundred convict it.
bool IsSeenByChance(std::string_view specimen, Judged property);

}  // namespace interlock::scenarios::real
