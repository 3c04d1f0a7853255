// SPDX-License-Identifier: MIT
//
// For the page of a measurement: who had the lock when, with faults shaded, and what each client
// got. Thread safety: pure functions.
#pragma once

#include <string>

#include "reports/contention.h"

namespace interlock::reports {

/// A lane for each client, at most kMostLanes; each owner span a bar. What is left out is said.
std::string OwnerTimeline(const ContentionPoint& point);

/// A row for each client, with bars beside the numbers.
std::string ClientTable(const ContentionPoint& point);

inline constexpr int kMostLanes = 64;

}  // namespace interlock::reports
