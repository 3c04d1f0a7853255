// SPDX-License-Identifier: MIT
//
// --server: which of the servers that the fake can be (see sim/redis/dialect.h) a command
// simulates. Thread safety: pure functions, but for AddServerOption.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"
#include "scenarios/cli/options.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios::cli {

/// Sets `server`, which lasts until the command line is parsed. An unknown name is refused with the
/// nearest one. `otherwise`: what the help calls the default.
Option AddServerOption(Command command, const sim::redis::Dialect*& server,
                       std::string_view otherwise = sim::redis::DefaultDialect().name);

/// Patterns of scenarios as SelectScenarios reads them, on that server; null: as they are.
std::string WithServer(std::string patterns, const sim::redis::Dialect* server);

/// What stands behind the '@' of patterns, and takes it away from them; null if nothing does.
/// kInvalidArgument: no server is called so.
Result<const sim::redis::Dialect*> TakeServer(std::string_view& patterns);

/// Replaces each scenario by the same one on that server; null: leaves them as they are.
void PutOn(const sim::redis::Dialect* server, std::vector<const Scenario*>& scenarios);

}  // namespace interlock::scenarios::cli
