// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/formats.h"
#include "reports/shard_report.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/report_parts.h"
#include "scenarios/cli/values.h"
#include "scenarios/cli/view_answer.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/shards.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kReportFooter = R"(
Nothing is run again, and the exit code is the check's. Several runs get a folder each and an
index.html; of measurements there is one page with all of them.

Examples:
  interlock report out --format html,perfetto,shiviz --out out
  interlock report out --format markdown >> "$GITHUB_STEP_SUMMARY"
  interlock report --view out)";
constexpr std::string_view kMergeFooter =
    "\nExample:\n  interlock report merge shards/run.shard-*.json --out out";

using reports::ExitCode;

struct ReportSettings {
  std::vector<std::string> files;
  std::string formats;  ///< separated by commas
  std::string view;     ///< folder
  int port = kPerfettoPort;
  OutputSettings output;
};

/// The named formats, each once. kInvalidArgument, with the nearest name: there is no such format.
Result<std::vector<const reports::Format*>> SelectFormats(std::string_view names) {
  std::vector<std::string_view> known;
  for (const reports::Format& one : reports::Formats()) known.push_back(one.name);
  std::vector<const reports::Format*> selected;
  for (const std::string_view name : SplitAtCommas(names)) {
    const reports::Format* format = reports::FindFormat(name);
    if (format == nullptr) {
      return Invalid(fmt::format("{}; known are {}", sim::UnknownName("format", name, known),
                                 fmt::join(known, ", ")));
    }
    if (std::ranges::find(selected, format) == selected.end()) {
      selected.push_back(format);
    }
  }
  return selected;
}

/// The verdict is the stored run's: rendering returns its exit code.
ExitCode Render(const ReportSettings& settings, const Registry& registry) {
  const auto formats = SelectFormats(settings.formats);
  if (!formats.ok()) return Complain(ExitCode::kUsage, formats.status().message());
  if (settings.output.out.empty() && formats->size() > 1) {
    return Complain(ExitCode::kUsage, "several formats need --out DIR");
  }
  if (settings.files.size() > 1) {
    if (!settings.output.out.empty()) {
      return RenderSeveral(settings.files, *formats, settings.output, registry);
    }
    return Complain(ExitCode::kUsage, "several runs need --out DIR");
  }
  auto run = reports::ReadRun(settings.files.front());
  if (!run.value) return Complain(ExitCode::kBadInput, run.error);
  run.value->report.tool.program = registry.program();
  if (const auto bad = PrepareOut(settings.output); bad != ExitCode::kPass) return bad;
  ExitCode code = ExitCodeOf(*run.value);
  for (const reports::Format* format : *formats) {
    const std::vector<reports::Rendered> files = Render(*format, *run.value);
    if (files.empty()) {
      Complain(code, fmt::format("{}: this run has nothing to show in this format", format->name));
    }
    if (settings.output.out.empty() && files.size() > 1) {
      return Complain(ExitCode::kUsage,
                      fmt::format("{} files as {} need --out DIR", files.size(), format->name));
    }
    for (const reports::Rendered& file : files) {
      code = Combine(code, settings.output.out.empty()
                               ? Print(file.content)
                               : WriteFile(settings.output, file.file_name, file.content));
    }
  }
  return code;
}

/// kBadInput, after a complaint, if a file is not from a shard of this very program.
ExitCode ReadShards(const ReportSettings& settings, std::vector<reports::ShardReport>& shards) {
  const reports::ToolInfo tool = ThisTool();
  for (const std::string& path : settings.files) {
    const auto content = ReadWholeFile(path);
    if (!content.ok()) return Complain(ExitCode::kBadInput, content.status().message());
    auto read = reports::ReadShardReport(*content);
    if (!read.value) {
      return Complain(ExitCode::kBadInput, fmt::format("{}: {}", path, read.error));
    }
    if (read.value->tool.version != tool.version || read.value->tool.commit != tool.commit) {
      return Complain(ExitCode::kBadInput,
                      fmt::format("{} was written by version {} ({}); this program is {} ({})",
                                  path, read.value->tool.version, read.value->tool.commit,
                                  tool.version, tool.commit));
    }
    shards.push_back(std::move(*read.value));
  }
  return ExitCode::kPass;
}

ExitCode MergeFiles(const ReportSettings& settings, const Registry& registry) {
  std::vector<reports::ShardReport> shards;
  if (const auto bad = ReadShards(settings, shards); bad != ExitCode::kPass) return bad;
  const reports::ShardReport& first = shards.front();
  CampaignOptions options;
  const auto bad = SelectUnits(registry, first.lock, first.scenario, first.least_hunt > 0, options);
  if (bad != ExitCode::kPass) return ExitCode::kBadInput;
  options.seed = first.seed;
  options.runs = first.runs;
  options.least_hunt = first.least_hunt;
  options.explore = first.explores;
  options.explaining = Explaining::kFirst;
  options.strategy = FindStrategy(first.strategy);
  options.jobs = JobsOf(0);
  options.stop = &Interrupted();
  options.isolate = true;
  if (const auto wrong = PrepareOut(settings.output); wrong != ExitCode::kPass) return wrong;
  CatchInterruption();
  Guard(settings.output, registry, options.seed);
  const GuardedThread guarded;
  auto merged = MergeShards(options, shards);
  if (!merged.ok()) return Complain(ExitCode::kBadInput, merged.status().message());
  return Publication(settings.output, registry, options).Finish(std::move(*merged));
}

std::string FormatNames() {
  std::string names;
  for (const reports::Format& one : reports::Formats()) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", one.name, one.summary);
  }
  return names;
}

void AddMerge(Command report, const Registry& registry, Work& work) {
  Command merge = report.Subcommand(
      "merge", "the verdict of a sharded check: every part must be there exactly once");
  auto settings = std::make_shared<ReportSettings>();
  merge.Add("FILE", settings->files, "run.shard-i-of-n.json of every shard").Required();
  merge.Flag("--json", settings->output.json, "print run.json instead of text");
  merge.Add("--out", settings->output.out, "folder for run.json, junit.xml, counterexamples/");
  merge.Footer(std::string(kMergeFooter));
  IfChosen(merge, work, [settings, &registry] { return MergeFiles(*settings, registry); });
}

}  // namespace

void AddReportCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand("report", "what was found, from the files of earlier runs");
  auto rendered = std::make_shared<ReportSettings>();
  command.Add("RUN", rendered->files, "run.json, or the folder in which it lies");
  command
      .Add("--format", rendered->formats,
           fmt::format("one or several of {}, separated by commas", FormatNames()))
      .Joined();
  command.Add("--out", rendered->output.out, "folder for the files; without it, to stdout");
  command.Add("--view", rendered->view,
              "show the files of this folder to a browser on this machine, until Ctrl-C");
  command
      .Add("--port", rendered->port,
           "port for --view; 0: any free one, but ui.perfetto.dev opens traces only from 9001")
      .InRange(0, 65535)
      .ShowDefault();
  command.Footer(std::string(kReportFooter));
  command.OnParsed([command, rendered, &registry, &work] {
    if (command.has_chosen()) return;
    if (!rendered->view.empty()) {
      if (!rendered->files.empty() || !rendered->formats.empty()) {
        throw WrongUsage{"--view excludes RUN and --format: render first"};
      }
      work = [rendered] { return View(rendered->view, rendered->port); };
      return;
    }
    if (rendered->files.empty()) throw WrongUsage{"RUN is required"};
    if (rendered->formats.empty()) throw WrongUsage{"--format is required"};
    work = [rendered, &registry] { return Render(*rendered, registry); };
  });
  AddMerge(command, registry, work);
  AddReportDiff(command, registry, work);
}

}  // namespace interlock::scenarios::cli
