// SPDX-License-Identifier: MIT
//
// What a report says of the servers that were simulated. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "sim/redis/dialect.h"

namespace interlock::scenarios {

/// RunReport::backend and its like: "sim" for the default, else "sim valkey-9.1".
std::string BackendOf(const sim::redis::Dialect& server);

/// For every report that used one: that it follows documents only. nullopt: it is proven.
std::optional<std::string> WhyUnproven(const sim::redis::Dialect& server);

}  // namespace interlock::scenarios
