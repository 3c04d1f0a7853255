// SPDX-License-Identifier: MIT
//
// A client's command, told where its servers are: by its environment (REDIS_URL, REDIS_HOST,
// REDIS_PORT, or REDIS_URLS for several servers; INTERLOCK_CLIENT counts clients from 0), and by
// words that stand for them: "{url}", "{urls}", "{port}", "{client}". With several commands,
// separated by the word "--and", clients take one after the other.
//
// Thread safety: as ForeignProcess.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/foreign_process.h"

namespace interlock::sim::machine {

/// This client's one of the commands in it.
std::vector<std::string> CommandOf(const std::vector<std::string>& commands, int client);

/// `more`: additions to its environment. Failures as ForeignProcess::Start. REQUIRES: neither the
/// command nor the ports are empty.
Result<std::unique_ptr<ForeignProcess>> Launch(const std::vector<std::string>& command, int client,
                                               const std::vector<int>& ports,
                                               const ForeignProcess::Environment& more);

}  // namespace interlock::sim::machine
