// SPDX-License-Identifier: MIT
//
// What the clients of a measurement sent and received. Thread safety: pure functions.
#pragma once

#include <vector>

#include "reports/contention.h"
#include "scenarios/log/event.h"
#include "scenarios/run/load/measure.h"
#include "scenarios/run/load/requests.h"

namespace interlock::scenarios::contend {

/// Commands sent after the warm-up and before the end, and the round trips of `granted`, the
/// requests that count.
reports::CommandMix TrafficOf(const EventLog& log, const std::vector<const Request*>& granted,
                              const Frame& frame);

}  // namespace interlock::scenarios::contend
