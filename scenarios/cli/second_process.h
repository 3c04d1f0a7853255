// SPDX-License-Identifier: MIT
//
// Runs a few runs again in a process of its own: uninitialised memory, addresses and hash seeds
// differ there, and a run must not.
#pragma once

#include <interlock/result.h>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

/// kUnavailable: this program could not be started again, or ended without printing a hash.
Result<std::uint64_t> HashInSecondProcess(const Unit& unit, std::uint64_t seed, std::uint64_t runs,
                                          std::optional<Strategy> strategy);

}  // namespace interlock::scenarios::cli
