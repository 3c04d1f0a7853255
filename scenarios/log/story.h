// SPDX-License-Identifier: MIT
//
// What the clients of a named case were told, in one line: the figures in the original report,
// which a correct library must reproduce in virtual time and on a real server.
#pragma once

#include <string>

#include <interlock/harness/lock.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// "seed-002 mutex: 1 lease, 8 refusals, winner's lease lost before release: not-owner". Probes are
/// left out. REQUIRES: the scenario has exactly one pinned workload.
std::string StoryOf(const Scenario& scenario, const harness::Subject& subject,
                    const History& history);

}  // namespace interlock::scenarios
