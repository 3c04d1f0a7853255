// SPDX-License-Identifier: MIT
#include <memory>
#include <string_view>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/guarantees.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kGuaranteesFooter = R"(
The table has what holds, what breaks (with a counterexample's token) and what no run tried, beside
what the lock promises. Exit codes: 1 a promise is not kept; 4 a known failure no longer happens.

Examples:
  interlock guarantees --lock mutex,fair-mutex --faults 'client-*'
  interlock guarantees --out out)";

using reports::ExitCode;

struct GuaranteesSettings {
  std::string lock;
  std::string faults = "*";
  const sim::redis::Dialect* server = nullptr;  ///< null: as `faults` says
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;
  int jobs = 0;
  OutputSettings output;
};

/// Without a pattern, the locks meant to be correct, but for those that are others over another
/// connector.
Result<std::vector<Entry>> Locks(const GuaranteesSettings& settings, const Registry& registry) {
  auto entries = registry.Select(settings.lock.empty() ? "*" : settings.lock);
  if (!entries.ok()) return entries;
  if (settings.lock.empty()) {
    std::erase_if(*entries, [](const Entry& entry) { return entry.specimen || entry.sampled; });
  }
  for (Entry& entry : *entries) entry.sampled = false;
  return entries;
}

ExitCode Publish(const GuaranteesSettings& settings, const reports::GuaranteeTable& table) {
  ExitCode code = ExitCodeOf(table);
  code = Combine(
      code, Print(settings.output.json ? ToJson(table) : ToText(table, TextOptionsForStdout())));
  code = Combine(code, WriteFile(settings.output, "guarantees.json", ToJson(table)));
  code = Combine(code, WriteFile(settings.output, "guarantees.md", ToMarkdown(table)));
  return Combine(code, InterruptionCode());
}

ExitCode Guarantees(const GuaranteesSettings& settings, const Registry& registry) {
  const auto entries = Locks(settings, registry);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  const auto places = SelectFaultClasses(WithServer(settings.faults, settings.server));
  if (!places.ok()) return Complain(ExitCode::kUsage, places.status().message());
  for (const Entry& entry : *entries) {
    const std::string wrong = WrongPromise(*entry.subject);
    if (!wrong.empty()) return Complain(ExitCode::kUsage, wrong);
  }
  if (const auto bad = PrepareOut(settings.output); bad != ExitCode::kPass) return bad;
  CatchInterruption();
  InstallGuard({.program = registry.program()});
  CampaignOptions options;
  options.seed = settings.seed;
  options.runs = settings.runs;
  options.jobs = JobsOf(settings.jobs);
  options.entries = *entries;
  options.scenarios = *places;
  options.stop = &Interrupted();
  options.isolate = true;
  Progress progress("trying");
  options.progress = progress.Updates();
  CampaignResult result = RunCampaign(options);
  result.report.tool = ThisTool(registry.program());
  return Publish(settings, TableOf(result.report));
}

}  // namespace

void AddGuaranteesCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand(
      "guarantees",
      "each lock under each class of faults: what holds, what breaks, what it promises");
  auto settings = std::make_shared<GuaranteesSettings>();
  command
      .Add(
          "--lock", settings->lock,
          "locks whose name matches, as for check; without it, all but the specimens and *.hiredis")
      .Joined();
  command.Add("--faults", settings->faults, "only classes of faults that match this pattern")
      .ShowDefault();
  AddServerOption(command, settings->server);
  auto seed = std::make_shared<std::string>("1");
  command.Add("--seed", *seed, "seed of all runs (also 0x...)")
      .Type("NUMBER")
      .Check(WhyNoSeed)
      .ShowDefault();
  command.Add("--runs", settings->runs, "runs for each cell of the table")
      .InRange(1, 1'000'000'000)
      .ShowDefault();
  command.Add("--jobs", settings->jobs, "threads; the table does not depend on it (0: all cores)")
      .InRange(0, 256);
  command.Flag("--json", settings->output.json, "print guarantees.json instead of text");
  command.Add("--out", settings->output.out, "folder for guarantees.json and guarantees.md");
  command.Footer(std::string(kGuaranteesFooter));
  IfChosen(command, work, [settings, seed, &registry] {
    settings->seed = ParseSeed(*seed).value_or(settings->seed);
    return Guarantees(*settings, registry);
  });
}

}  // namespace interlock::scenarios::cli
