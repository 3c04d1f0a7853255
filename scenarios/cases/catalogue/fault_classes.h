// SPDX-License-Identifier: MIT
//
// The rows of the guarantee table: classes of faults, each on the topologies where it can happen.
#pragma once

#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::catalogue {

/// One scenario for each class and topology; each judges every property that there is.
std::vector<Scenario> FaultClasses();

}  // namespace interlock::scenarios::catalogue
