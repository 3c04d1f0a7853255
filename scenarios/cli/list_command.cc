// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/json_text.h"
#include "scenarios/cases/server_words.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/judge/property.h"
#include "sim/redis/command_table.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kListFooter = R"(
Examples:
  interlock list locks
  interlock list faults              what each means, and where it was seen
  interlock list commands --server valkey-9.1    which of its commands are modelled)";

/// One listed item; `detail` comes between name and summary and may be empty.
struct Line {
  std::string_view name;
  std::string_view detail_key;
  std::string detail;
  std::string summary;
  std::string incident = {};  ///< where it did harm; faults only
  std::string runs = {};      ///< of each lock in each class, in the gate; scenarios only
};

/// "600 drawn"; "72 of 36 placings", each of which is run twice; "100 of 1 placing".
std::string RunsText(const Scenario& scenario) {
  if (scenario.pinned.empty()) return fmt::format("{} drawn", scenario.gate_runs);
  const std::size_t placings = scenario.pinned.size();
  return fmt::format("{} of {} placing{}", scenario.gate_runs, placings, placings == 1 ? "" : "s");
}

std::vector<Line> Lines(const std::string& what, const Registry& registry) {
  std::vector<Line> lines;
  if (what == "locks") {
    for (const Entry& entry : registry.entries()) {
      const char* kind = entry.specimen ? "specimen" : entry.foreign ? "yours" : "sound";
      lines.push_back({entry.subject->name(), "kind", kind, std::string(entry.subject->summary())});
    }
  } else if (what == "scenarios") {
    for (const Scenario& scenario : Catalogue()) {
      std::string classes;
      for (const SynchronyClass synchrony : scenario.classes) {
        classes += fmt::format("{}{}", classes.empty() ? "" : ",", ToString(synchrony));
      }
      lines.push_back({.name = scenario.name,
                       .detail_key = "classes",
                       .detail = classes,
                       .summary = std::string(scenario.summary),
                       .runs = RunsText(scenario)});
    }
  } else if (what == "faults") {
    for (const sim::FaultInfo& fault : sim::KnownFaults()) {
      lines.push_back({fault.name, "family", std::string(ToString(fault.family)),
                       std::string(fault.meaning), std::string(fault.incident)});
    }
  } else {
    for (const Property* known : AllProperties()) {
      lines.push_back(
          {known->slug, "code", std::string(known->code), std::string(known->definition)});
    }
  }
  return lines;
}

// The simulated server's commands are listed separately: they have two states, and the counts
// matter.
std::string_view State(const sim::redis::Command& command) {
  return command.handler != nullptr ? "modelled" : "not modelled";
}

// A client cannot send a container without a subcommand.
bool IsListed(const sim::redis::Command& command) {
  return command.handler != nullptr || (command.flags & sim::redis::kContainer) == 0;
}

std::string ToWords(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '|', ' ');
  return words;
}

std::string CommandsToText(const sim::redis::Dialect& server) {
  std::string text;
  int listed = 0;
  int modelled = 0;
  for (const sim::redis::Command& command : sim::redis::KnownCommands(server)) {
    if (!IsListed(command)) continue;
    ++listed;
    if (command.handler != nullptr) ++modelled;
    text += fmt::format("{:<28} {:<18} {}\n", ToWords(command.name),
                        fmt::format("arity {}", command.arity), State(command));
  }
  text += fmt::format(
      "{} of the {} commands and subcommands of {} are modelled; what is not modelled is never "
      "answered.\n",
      modelled, listed, server.title);
  if (const auto why = WhyUnproven(server)) text += *why + ".\n";
  return text;
}

std::string CommandsToJson(const sim::redis::Dialect& server) {
  reports::JsonText json;
  json.BeginArray();
  for (const sim::redis::Command& command : sim::redis::KnownCommands(server)) {
    if (!IsListed(command)) continue;
    json.BeginObject();
    json.Key("name").String(ToWords(command.name));
    json.Key("arity").Signed(command.arity);
    json.Key("modelled").Bool(command.handler != nullptr);
    json.EndObject();
  }
  json.EndArray();
  return std::move(json).Take();
}

std::string ToListJson(const std::vector<Line>& lines) {
  reports::JsonText json;
  json.BeginArray();
  for (const Line& line : lines) {
    json.BeginObject();
    json.Key("name").String(line.name);
    if (!line.detail_key.empty()) json.Key(line.detail_key).String(line.detail);
    if (!line.runs.empty()) json.Key("runs").String(line.runs);
    json.Key("summary").String(line.summary);
    if (!line.incident.empty()) json.Key("incident").String(line.incident);
    json.EndObject();
  }
  json.EndArray();
  return std::move(json).Take();
}

struct ListSettings {
  std::string what;
  bool json = false;
  const sim::redis::Dialect* server = nullptr;  ///< for commands; null: the default
};

reports::ExitCode List(const ListSettings& settings, const Registry& registry) {
  const auto& [what, json, server] = settings;
  if (what == "commands") {
    const auto& chosen = server != nullptr ? *server : sim::redis::DefaultDialect();
    return Print(json ? CommandsToJson(chosen) : CommandsToText(chosen));
  }
  if (server != nullptr) {
    return Complain(reports::ExitCode::kUsage,
                    fmt::format("--server is for `list commands`: {} are the same on all", what));
  }
  const std::vector<Line> lines = Lines(what, registry);
  if (json) return Print(ToListJson(lines));
  std::string text;
  for (const Line& line : lines) {
    const std::string runs = line.runs.empty() ? "" : fmt::format("{:<22} ", line.runs);
    text += fmt::format("{:<28} {:<18} {}{}\n", line.name, line.detail, runs, line.summary);
    if (!line.incident.empty()) text += fmt::format("{:<48}seen: {}\n", "", line.incident);
  }
  return Print(text);
}

}  // namespace

void AddListCommand(Command app, const Registry& registry, Work& work) {
  Command command =
      app.Subcommand("list", "what there is: locks, scenarios, faults, properties, commands");
  auto settings = std::make_shared<ListSettings>();
  command
      .Add("what", settings->what,
           "locks, scenarios, faults, properties or commands (of the simulated Redis)")
      .Required()
      .OneOf({"locks", "scenarios", "faults", "properties", "commands"});
  AddServerOption(command, settings->server);
  command.Flag("--json", settings->json, "print JSON instead of text");
  command.Footer(std::string(kListFooter));
  IfChosen(command, work, [settings, &registry] { return List(*settings, registry); });
}

}  // namespace interlock::scenarios::cli
