// SPDX-License-Identifier: MIT
//
// One function per command of the program; each adds its options to a CLI11 subcommand and leaves
// the work to be done once everything is parsed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "reports/exit_code.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

/// Set by the command that was chosen.
using Work = std::function<reports::ExitCode()>;

void AddCheckCommand(CLI::App& app, const Registry& registry, Work& work);
void AddContendCommand(CLI::App& app, const Registry& registry, Work& work);
void AddGuaranteesCommand(CLI::App& app, const Registry& registry, Work& work);
void AddReplayCommand(CLI::App& app, const Registry& registry, Work& work);
void AddListCommand(CLI::App& app, const Registry& registry, Work& work);
void AddExploreCommand(CLI::App& app, const Registry& registry, Work& work);
void AddExplainCommand(CLI::App& app, Work& work);
void AddReportCommand(CLI::App& app, const Registry& registry, Work& work);
/// Serves until it is told to stop.
void AddServeCommand(CLI::App& app, Work& work);
void AddDriveCommand(CLI::App& app, Work& work);
void AddHelpCommand(CLI::App& app, Work& work);
/// Hidden: prints the hash of a unit's first runs, for the gate's comparison with another process.
void AddHashCommand(CLI::App& app, const Registry& registry, Work& work);

/// `unknown command "chek"; did you mean "check"?`; nullopt if there is such a command.
std::optional<std::string> UnknownCommand(CLI::App& app, std::string_view name);

}  // namespace interlock::scenarios::cli
