// SPDX-License-Identifier: MIT
//
// What a client of a workload does with a latch (Traits::latch), over the harness interface alone:
// in virtual time and on real servers, as client_program.h. Each of the workload's operations is a
// party: its client thinks, counts down for it, says so again while it is not sure, and waits, as
// the operation asks. What else stands in an operation is for locks.
//
// Thread safety: as client_program.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenarios/client_program.h"

namespace interlock::scenarios {

/// The parties of the workload's latch, by number; a latch that no operation is about has one.
std::vector<int> PartiesOf(const Workload& workload, int resource);
/// As Lock::CountDown is given it.
std::string NameOfParty(int party);

/// See RunClient. Who has still to count the same latch down waits for no longer than a time.
void RunLatchClient(int client, const ClientPlan& plan, std::size_t& next,
                    harness::Environment& environment,
                    std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

/// Thinks, counts down for every party, whoever should have, and then waits, as the operation asks.
void CountForAll(int client, const Operation& operation, std::span<const int> parties,
                 harness::Environment& environment,
                 std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

}  // namespace interlock::scenarios
