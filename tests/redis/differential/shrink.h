// SPDX-License-Identifier: MIT
//
// Simpler sequences than a given one, for RapidCheck's shrinking.
#pragma once

#include <rapidcheck.h>

#include "tests/redis/differential/case.h"

namespace interlock::testing {

/// Without some of the steps; then with one step made simpler. Never one that would need real time
/// to pass.
rc::Seq<Case> ShrinkCase(const Case& sequence);

}  // namespace interlock::testing
