// SPDX-License-Identifier: MIT
#include "scenarios/cli/options.h"

#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>

namespace interlock::scenarios::cli {
namespace {

/// Without the list of options, which would push the error off the screen.
std::string WhatIsWrong(const CLI::App* /*app*/, const CLI::Error& error) {
  return std::string("interlock: ") + error.what() + "\n--help lists the options.\n";
}

std::string WhichCommand(const CLI::App* app, const CLI::Error& /*error*/) {
  return "interlock: which command?\n\n" + app->help();
}

CLI::App* FindCommand(const CLI::App& app, std::string_view name) {
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : all) {
    if (command->get_name() == name) return const_cast<CLI::App*>(command);
  }
  return nullptr;
}

std::string NotEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

}  // namespace

Option Option::Check(ValueCheck check) { return Option(*option_->check(std::move(check))); }

Option Option::InRange(std::int64_t least, std::int64_t most) {
  return Option(*option_->check(CLI::Range(least, most)));
}

Option Option::OneOf(const std::vector<std::string>& words) {
  return Option(*option_->check(CLI::IsMember(words)));
}

Option Option::Type(std::string_view name) {
  return Option(*option_->type_name(std::string(name)));
}

Option Option::ShowDefault() { return Option(*option_->capture_default_str()); }

Option Option::Required() { return Option(*option_->required()); }

Option Option::Joined() { return Option(*option_->join(',')); }

Option Option::Needs(Option other) { return Option(*option_->needs(other.option_)); }

Option Option::Excludes(Option other) { return Option(*option_->excludes(other.option_)); }

Command Command::Subcommand(std::string_view name, std::string_view help) const {
  return Command(*app_->add_subcommand(std::string(name), std::string(help)));
}

template <typename T>
Option Command::Add(const std::string& name, T& value, const std::string& help) const {
  Option option(*app_->add_option(name, value, help));
  if constexpr (std::is_same_v<T, std::string>) option.Check(NotEmpty);
  return option;
}
template Option Command::Add(const std::string&, int&, const std::string&) const;
template Option Command::Add(const std::string&, std::optional<int>&, const std::string&) const;
template Option Command::Add(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::Add(const std::string&, std::string&, const std::string&) const;
template Option Command::Add(const std::string&, std::vector<int>&, const std::string&) const;
template Option Command::Add(const std::string&, std::vector<std::string>&,
                             const std::string&) const;

Option Command::AddTaken(const std::string& name, std::function<void(const std::string&)> take,
                         const std::string& help) const {
  return Option(*app_->add_option_function<std::string>(name, take, help));
}

Option Command::Flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(name, value, help));
}

Option Command::Ignored(const std::string& name, const std::string& help) const {
  return Option(*app_->add_flag(name)->description(help));
}

void Command::Footer(const std::string& text) const { app_->footer(text); }

void Command::Hide() const { app_->group(""); }

void Command::OnParsed(std::function<void()> then) const {
  app_->callback([then = std::move(then)] {
    try {
      then();
    } catch (const WrongUsage& wrong) {
      throw CLI::ValidationError(wrong.what);
    }
  });
}

bool Command::has_chosen() const { return !app_->get_subcommands().empty(); }

CommandLine::CommandLine(const std::string& about, const std::string& version)
    : app_(std::make_unique<CLI::App>(about)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::commands() { return Command(*app_); }

CommandLine::Parsed CommandLine::Parse(int argc, char** argv, std::string& answer) {
  app_->failure_message(argc > 1 ? &WhatIsWrong : &WhichCommand);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const int code = app_->exit(error, text, text);
    answer = std::move(text).str();
    return code == 0 ? Parsed::kHelpAsked : Parsed::kRefused;
  }
  return Parsed::kYes;
}

bool CommandLine::Knows(std::string_view command) const {
  return FindCommand(*app_, command) != nullptr;
}

std::vector<std::string> CommandLine::names() const {
  std::vector<std::string> names;
  const auto shown =
      app_->get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  for (const CLI::App* command : shown) names.push_back(command->get_name());
  return names;
}

std::string CommandLine::Overview() const {
  // Not app.help(), which delegates to the chosen command.
  return app_->get_formatter()->make_help(app_.get(), app_->get_name(), CLI::AppFormatMode::Normal);
}

std::string CommandLine::HelpOn(std::string_view command) const {
  return FindCommand(*app_, command)->help(app_->get_name(), CLI::AppFormatMode::Normal);
}

}  // namespace interlock::scenarios::cli
