// SPDX-License-Identifier: MIT
//
// How often each client was granted, and in which order. Thread safety: pure functions.
#pragma once

#include <vector>

#include "reports/contention.h"
#include "scenarios/run/load/requests.h"

namespace interlock::scenarios::contend {

/// Jain's index of the shares: 1 if all are equal, 1/n if one has everything; 1 if there are none.
double Jain(const std::vector<std::int64_t>& shares);

/// `granted`: the granted requests that count, in order of their grants; `requests`: all.
/// `whole_ns`: the time that all resources together could have been held.
reports::Fairness FairnessOf(const std::vector<const Request*>& granted,
                             const std::vector<Request>& requests,
                             const std::vector<reports::ClientShare>& shares,
                             std::int64_t whole_ns);

}  // namespace interlock::scenarios::contend
