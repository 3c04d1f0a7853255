// SPDX-License-Identifier: MIT
#include <interlock/harness/main.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/stand_in.h"

namespace interlock::harness {
namespace {

using reports::ExitCode;
using scenarios::cli::Complain;

ExitCode ParseAndRun(int argc, char** argv, const scenarios::cli::Registry& registry) {
  const reports::ToolInfo tool = scenarios::cli::ThisTool();
  scenarios::cli::CommandLine line(
      "Redis locks judged in a simulated world: mutual exclusion, deadlock freedom, "
      "owner-only release",
      fmt::format("interlock {} ({}, {})", tool.version, tool.commit, tool.compiler));
  const scenarios::cli::Command app = line.commands();
  scenarios::cli::Work work;
  scenarios::cli::AddCheckCommand(app, registry, work);
  scenarios::cli::AddGuaranteesCommand(app, registry, work);
  scenarios::cli::AddContendCommand(app, registry, work);
  scenarios::cli::AddReplayCommand(app, registry, work);
  scenarios::cli::AddListCommand(app, registry, work);
  scenarios::cli::AddExploreCommand(app, registry, work);
  scenarios::cli::AddJudgeCommand(app, work);
  scenarios::cli::AddExplainCommand(app, work);
  scenarios::cli::AddReportCommand(app, registry, work);
  scenarios::cli::AddServeCommand(app, work);
  scenarios::cli::AddDriveCommand(app, work);
  scenarios::cli::AddAuditCommand(app, work);
  scenarios::cli::AddHelpCommand(line, work);
  scenarios::cli::AddWorkerCommand(app, registry, work);
  // The program's own options are flags, so the first other word is the command.
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (!first.empty() && first.front() != '-') {
    const auto unknown = scenarios::cli::UnknownCommand(line, first);
    if (unknown.has_value()) return Complain(ExitCode::kUsage, *unknown);
  }
  std::string answer;
  switch (line.Parse(argc, argv, answer)) {
    case scenarios::cli::CommandLine::Parsed::kHelpAsked:
      return scenarios::cli::Print(answer);
    case scenarios::cli::CommandLine::Parsed::kRefused:
      std::fputs(answer.c_str(), stderr);
      return ExitCode::kUsage;
    case scenarios::cli::CommandLine::Parsed::kYes:
      break;
  }
  return work();
}

}  // namespace

int Main(int argc, char** argv, std::vector<std::shared_ptr<const Subject>> subjects) {
  // A reader that closes the pipe (`| head`) must not end the program before it has cleaned up and
  // set its exit code: see output.h.
  std::signal(SIGPIPE, SIG_IGN);
  scenarios::cli::KeepStdout();
  const bool worker = argc > 1 && std::string_view(argv[1]) == "worker";
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (subjects[i] != nullptr) {
      subjects[i] = scenarios::cli::TriedOut(std::move(subjects[i]), i, worker);
    }
  }
  auto registry =
      scenarios::cli::Registry::Make(std::move(subjects), argc > 0 ? argv[0] : "interlock");
  if (!registry.ok()) {
    return ToInt(Complain(ExitCode::kUsage, registry.status().message()));
  }
  try {
    return ToInt(ParseAndRun(argc, argv, *registry));
  } catch (const std::exception& error) {
    return ToInt(Complain(ExitCode::kInternal, fmt::format("internal fault: {}", error.what())));
  }
}

}  // namespace interlock::harness
