// SPDX-License-Identifier: MIT
//
// What a report says of the servers that were simulated. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::scenarios {

/// RunReport::backend and its like, which every format of a report has: "sim" for the default, else
/// "sim valkey-9.1", or "sim valkey-9.2 (documents only)".
std::string BackendOf(const sim::redis::Dialect& server, std::string_view what = "sim");

/// For every report that used one: that it follows documents only. nullopt: it is proven.
std::optional<std::string> WhyUnproven(const sim::redis::Dialect& server);

}  // namespace interlock::scenarios
