// SPDX-License-Identifier: MIT
//
// What a served fake is told about itself before it starts. Thread safety: none.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/redis/server.h"
#include "sim/redis/surroundings.h"
#include "sim/serve/options.h"

namespace interlock::sim::serve {

/// Sets the parameters of the options, and those that only the surroundings know (`port` is the one
/// that it has got); what CLIENT LIST shows of a connection is `buffers_of`'s answer. nullopt, or
/// which parameter the fake does not take.
[[nodiscard]] std::optional<std::string> SetUp(
    redis::Server& server, const ServeOptions& options, int port,
    std::function<redis::Buffers(redis::ClientId)> buffers_of);

}  // namespace interlock::sim::serve
