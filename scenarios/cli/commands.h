// SPDX-License-Identifier: MIT
//
// One function per command of the program; each adds its options, and sets the work to do once
// everything is parsed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reports/exit_code.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

/// Set by the command that was chosen.
using Work = std::function<reports::ExitCode()>;

/// If the command is chosen, the work is what it does.
inline void IfChosen(Command command, Work& work, Work does) {
  command.OnParsed([&work, does = std::move(does)] { work = does; });
}

void AddCheckCommand(Command app, const Registry& registry, Work& work);
void AddContendCommand(Command app, const Registry& registry, Work& work);
void AddGuaranteesCommand(Command app, const Registry& registry, Work& work);
void AddReplayCommand(Command app, const Registry& registry, Work& work);
void AddListCommand(Command app, const Registry& registry, Work& work);
void AddExploreCommand(Command app, const Registry& registry, Work& work);
void AddJudgeCommand(Command app, Work& work);
void AddExplainCommand(Command app, Work& work);
void AddReportCommand(Command app, const Registry& registry, Work& work);
/// The command serves until it is told to stop.
void AddServeCommand(Command app, Work& work);
void AddDriveCommand(Command app, Work& work);
void AddAuditCommand(Command app, Work& work);
void AddHelpCommand(CommandLine& line, Work& work);
/// A hidden command that executes blocks of runs on request; see search/worker_process.h.
void AddWorkerCommand(Command app, const Registry& registry, Work& work);

/// `unknown command "chek"; did you mean "check"?`; nullopt if there is such a command.
std::optional<std::string> UnknownCommand(const CommandLine& line, std::string_view name);

}  // namespace interlock::scenarios::cli
