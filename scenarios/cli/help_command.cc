// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {
namespace {

/// The commands that the overview shows; hidden ones are in no group.
std::vector<CLI::App*> ShownCommands(CLI::App& app) {
  return app.get_subcommands([](CLI::App* command) { return !command->get_group().empty(); });
}

CLI::App* FindCommand(CLI::App& app, std::string_view name) {
  for (CLI::App* command : ShownCommands(app)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> UnknownCommand(CLI::App& app, std::string_view name) {
  const auto all = app.get_subcommands([](CLI::App*) { return true; });
  if (std::any_of(all.begin(), all.end(), [&](CLI::App* a) { return a->get_name() == name; })) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (CLI::App* command : ShownCommands(app)) names.push_back(command->get_name());
  std::string text = UnknownName("command", name, {names.begin(), names.end()});
  if (!text.ends_with('?')) text += "; see `help`";
  return text;
}

void AddHelpCommand(CLI::App& app, Work& work) {
  CLI::App* command = app.add_subcommand("help", "this overview, or one command's options");
  auto about = std::make_shared<std::string>();
  command->add_option("command", *about, "which command");
  command->callback([about, &app, &work] {
    work = [about, &app] {
      if (about->empty()) {
        // Not app.help(): that hands over to the chosen command, which is this one.
        return Print(
            app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      }
      CLI::App* chosen = FindCommand(app, *about);
      if (chosen == nullptr) {
        return Complain(reports::ExitCode::kUsage,
                        UnknownCommand(app, *about).value_or("no help on " + *about));
      }
      return Print(chosen->help(app.get_name(), CLI::AppFormatMode::Normal));
    };
  });
}

}  // namespace interlock::scenarios::cli
