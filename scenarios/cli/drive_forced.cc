// SPDX-License-Identifier: MIT
#include "scenarios/cli/drive_forced.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/escape.h"
#include "reports/forced_report.h"
#include "reports/text_layout.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;
using reports::Forced;
using reports::ForcedCase;

ForcedCase CaseOf(const reports::Counterexample& example, const std::string& source,
                  const drive::RealReplayOptions& options, const drive::RealReplay& replay) {
  ForcedCase one;
  one.lock =
      options.command.empty() ? example.lock : fmt::format("{}", fmt::join(options.command, " "));
  one.scenario = example.scenario;
  one.source = source;
  one.violations = {fmt::format("{} {}", example.code, example.property)};
  one.faults = example.faults;
  one.commands = replay.commands;
  one.attempts = static_cast<int>(replay.tries);
  if (!replay.impossible.empty() || replay.tries == 0) {
    one.reason = replay.impossible.empty() ? "interrupted" : replay.impossible;
    return one;
  }
  one.outcome = replay.reproduced > 0 ? Forced::kAgrees : Forced::kDiffers;
  one.reason = fmt::format("{} of {}", replay.reproduced,
                           replay.tries == 1 ? "1 try" : fmt::format("{} tries", replay.tries));
  return one;
}

std::string TextOf(const ForcedCase& one, const drive::RealReplay& replay) {
  const reports::TextOptions options = TextOptionsForStdout();
  constexpr std::size_t kIndent = 12;
  std::string text;
  const auto add = [&](std::string_view line) {
    for (const std::string& part : reports::Wrap(reports::SafeForTerminal(line, options.utf8),
                                                 reports::WidthOf(options) - kIndent)) {
      const std::string first = text.empty() ? std::string(Headline(one)) : "";
      text += fmt::format("{:<{}}{}\n", first, kIndent, part);
    }
  };
  add(fmt::format("{}: {}", one.lock, one.violations.front()));
  if (one.outcome == Forced::kNotForced) {
    add(one.reason);
    return text;
  }
  add(fmt::format("reproduced in {} on {}, of {} each, in {}", one.reason, replay.server,
                  reports::Count(one.commands, "command"), reports::ShortSeconds(one.took)));
  if (!replay.sentence.empty()) add(replay.sentence);
  if (replay.reproduced < replay.tries) {
    add(replay.difference.empty() ? "otherwise all was as in the case, but for the violation"
                                  : "otherwise: " + replay.difference);
  }
  for (const std::string& other : replay.others) add("beside that: " + other);
  return text;
}

}  // namespace

ExitCode ReplayDriveCase(const reports::Counterexample& example, const std::string& source,
                         const drive::RealReplayOptions& options, bool json) {
  const auto started = std::chrono::steady_clock::now();
  const auto replay = drive::ReplayOnRealServer(example, options);
  if (!replay.ok()) {
    const bool input = replay.code() == StatusCode::kInvalidArgument;
    return Complain(input ? ExitCode::kBadInput : ExitCode::kRedisUnreachable,
                    replay.status().message());
  }
  reports::ForcedReport report;
  report.tool = ThisTool();
  report.backend = replay->server;
  report.cases.push_back(CaseOf(example, source, options, *replay));
  report.cases.back().took = MillisecondsSince(started);
  const ForcedCase& one = report.cases.front();
  const ExitCode printed =
      Print(json ? ToJson(report) : reports::DefuseCiCommands(TextOf(one, *replay)));
  return Combine(Combine(ExitCodeOf(one), printed), InterruptionCode());
}

}  // namespace interlock::scenarios::cli
