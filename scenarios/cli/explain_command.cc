// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kExplainFooter = R"(
Examples:
  interlock explain LK005
  interlock explain deadlock)";

reports::ExitCode ExplainCode(const std::string& code) {
  std::string text;
  for (const Property* property : FindProperties(code)) {
    const std::string_view of_latches = property->of_latches.definition;
    const std::string latches =
        of_latches.empty() ? "" : fmt::format("\n\nOf a latch: {}", of_latches);
    const std::string_view scenario = property->scenario;
    const std::string from = scenario == "none" ? "" : fmt::format(" ({})", scenario);
    text += fmt::format("{} {}: {}\n\n{}{}\n\nA story{}: {}\n\nUsual fixes:\n", property->code,
                        property->slug, property->name, property->definition, latches, from,
                        property->story);
    for (const std::string_view fix : property->fixes) {
      if (!fix.empty()) text += fmt::format("- {}\n", fix);
    }
    text += "\n";
  }
  if (text.empty()) return Complain(reports::ExitCode::kUsage, UnknownProperty(code));
  return Print(text);
}

}  // namespace

void AddExplainCommand(Command app, Work& work) {
  Command command =
      app.Subcommand("explain", "what a property means, a story of its violation, the usual fixes");
  auto code = std::make_shared<std::string>();
  const std::string_view last =
      (*std::ranges::max_element(AllProperties(), {}, &Property::code))->code;
  command.Add("code", *code, fmt::format("LK001 ... {}, or a property's name", last)).Required();
  command.Footer(std::string(kExplainFooter));
  IfChosen(command, work, [code] { return ExplainCode(*code); });
}

}  // namespace interlock::scenarios::cli
