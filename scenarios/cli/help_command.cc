// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios::cli {

std::optional<std::string> UnknownCommand(const CommandLine& line, std::string_view name) {
  if (line.Knows(name)) return std::nullopt;
  const std::vector<std::string> names = line.names();
  std::string text = sim::UnknownName("command", name, {names.begin(), names.end()});
  if (!text.ends_with('?')) text += "; see `help`";
  return text;
}

void AddHelpCommand(CommandLine& line, Work& work) {
  Command command = line.commands().Subcommand("help", "this overview, or one command's options");
  auto about = std::make_shared<std::string>();
  command.Add("command", *about, "which command");
  IfChosen(command, work, [about, &line] {
    if (about->empty()) return Print(line.Overview());
    const std::vector<std::string> names = line.names();
    if (std::ranges::find(names, *about) == names.end()) {
      return Complain(reports::ExitCode::kUsage,
                      UnknownCommand(line, *about).value_or("no help on " + *about));
    }
    return Print(line.HelpOn(*about));
  });
}

}  // namespace interlock::scenarios::cli
