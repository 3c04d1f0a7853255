// SPDX-License-Identifier: MIT
//
// The class of synchrony that a scenario runs in, and how fast or slow clocks are in all of them.
#pragma once

#include <interlock/time.h>

#include "reports/synchrony.h"

namespace interlock::scenarios {

using reports::SynchronyClass;

/// The furthest that a clock's rate, in ppm, may be from true time in any class, unless a scenario
/// frees its clocks. A lock that relies on 99 % of its lease has room for that at both ends.
inline constexpr Duration kMostDrift{2'500};

}  // namespace interlock::scenarios
