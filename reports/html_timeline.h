// SPDX-License-Identifier: MIT
//
// Parts of a measurement's page: the owners of the lock over time, with faults shaded, and the
// share of each client. Thread safety: pure functions.
#pragma once

#include <string>

#include "reports/contention.h"

namespace interlock::reports {

/// A lane for each client, at most kMostLanes, with a bar for each owner span. Anything left out is
/// named.
std::string OwnerTimeline(const ContentionPoint& point);

/// A row for each client, with bars next to the numbers.
std::string ClientTable(const ContentionPoint& point);

inline constexpr int kMostLanes = 64;

}  // namespace interlock::reports
