// SPDX-License-Identifier: MIT
//
// Who counts down the latches of a workload, see LatchUse.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/cases/workload.h"

namespace interlock::scenarios {

/// The party that stands for the client's operation of that index.
int PartyOf(int client, std::size_t operation);

/// The parties of the workload's latch, by number; a latch for which nobody counts has one.
std::vector<int> PartiesOf(const Workload& workload, int resource);
/// A number that is not a party; it counts down when all of them should have.
int OneTooMany(const Workload& workload);
/// The name passed to Lock::CountDown.
std::string NameOfParty(int party);

}  // namespace interlock::scenarios
