// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>

#include "reports/diff_writer.h"
#include "reports/run_diff.h"
#include "reports/run_files.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/report_parts.h"
#include "scenarios/cli/values.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kDiffFooter = R"(
Findings are recognised by lock, property and kinds of faults, also under another seed. "Fixed" is
said only where the later run looked often enough; otherwise a finding is rare, or unseen. The exit
code is that of what is new (1, 3, 4, 2), and 2 if something is rare or unseen; what is still there
adds nothing to it.

Example:
  interlock report diff old/run.json out --format markdown)";

using reports::ExitCode;

struct DiffSettings {
  std::string before;
  std::string now;
  std::string format = "text";
  OutputSettings output;
};

std::string Written(const DiffSettings& settings, const reports::RunDiff& diff) {
  if (settings.output.json || settings.format == "json") return ToJson(diff);
  if (settings.format == "markdown") return ToMarkdown(diff);
  return ToText(diff, TextOptionsForStdout());
}

ExitCode Compare(const DiffSettings& settings, const Registry& registry) {
  const auto before = reports::ReadRun(settings.before);
  if (!before.value) return Complain(ExitCode::kBadInput, before.error);
  auto now = reports::ReadRun(settings.now);
  if (!now.value) return Complain(ExitCode::kBadInput, now.error);
  if (before.value->contention.has_value() != now.value->contention.has_value()) {
    return Complain(ExitCode::kBadInput, "cannot compare a check with a measurement");
  }
  now.value->report.tool.program = registry.program();
  const reports::RunDiff diff = Diff(*before.value, *now.value);
  if (const auto bad = PrepareOut(settings.output); bad != ExitCode::kPass) return bad;
  ExitCode code = ExitCodeOf(diff);
  code = Combine(code, Print(Written(settings, diff)));
  code = Combine(code, WriteFile(settings.output, "diff.json", ToJson(diff)));
  return Combine(code, WriteFile(settings.output, "diff.md", ToMarkdown(diff)));
}

}  // namespace

void AddReportDiff(Command report, const Registry& registry, Work& work) {
  Command diff = report.Subcommand(
      "diff", "compare with an earlier run: what is new, persists, is rare, unseen or fixed");
  auto settings = std::make_shared<DiffSettings>();
  diff.Add("OLD", settings->before, "the earlier run.json, or its folder").Required();
  diff.Add("NEW", settings->now, "the later one").Required();
  diff.Add("--format", settings->format, "how it is printed")
      .OneOf({"text", "markdown", "json"})
      .ShowDefault();
  diff.Flag("--json", settings->output.json, "the same as --format json");
  diff.Add("--out", settings->output.out, "folder for diff.json and diff.md");
  diff.Footer(std::string(kDiffFooter));
  IfChosen(diff, work, [settings, &registry] { return Compare(*settings, registry); });
}

}  // namespace interlock::scenarios::cli
