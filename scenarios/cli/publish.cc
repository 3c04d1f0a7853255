// SPDX-License-Identifier: MIT
#include "scenarios/cli/publish.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "reports/artefacts.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/second_process.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/rows.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

reports::ResultRow NotCompared(const Unit& unit, std::string_view reason) {
  reports::ResultRow row = RowOf(unit);
  for (const Property& property : FindProperties("LK016")) {
    row.code = property.code;
    row.property = property.slug;
  }
  row.reason = fmt::format("not compared with a second process: {}", reason);
  return row;
}

/// The first runs of one unit of each scenario once more in another process, with its own address
/// space layout: another lock for each scenario, and others for another seed. Where that cannot be
/// done, a row of its own says so and makes the whole inconclusive.
void CompareWithSecondProcess(const CampaignOptions& options, reports::RunReport& report) {
  constexpr std::uint64_t kRuns = 20;
  std::uint64_t turn = options.seed;
  for (const Scenario* scenario : options.scenarios) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : options.entries) {
      if (Applies(*scenario, entry.subject->traits())) entries.push_back(&entry);
    }
    if (entries.empty()) continue;
    if (Interrupted()) break;
    const Unit unit{entries[turn++ % entries.size()], scenario, scenario->classes.back()};
    const auto theirs = HashInSecondProcess(unit, options.seed, kRuns, options.strategy);
    if (Interrupted()) break;  // Ctrl-C ends the other process too
    if (!theirs.ok()) {
      report.results.push_back(NotCompared(unit, theirs.status().message()));
      continue;
    }
    report.totals.double_runs += kRuns;
    if (*theirs != HashOfUnit(unit, options.seed, kRuns, options.strategy)) {
      ++report.totals.divergences;
    }
  }
  if (Interrupted()) report.status = reports::RunStatus::kPartial;
}

/// A shard alone is partial by nature: only what it has seen go wrong counts.
ExitCode CodeOf(const CampaignOptions& options, const reports::RunReport& report) {
  if (options.shard.total <= 1) return ExitCodeOf(report);
  ExitCode code = report.totals.divergences > 0 ? ExitCode::kInternal : ExitCode::kPass;
  for (const reports::ResultRow& row : report.results) code = Combine(code, ExitCodeOf(row));
  return code;
}

std::vector<reports::Counterexample> ExplainAll(const Registry& registry,
                                                const CampaignResult& result) {
  std::vector<reports::Counterexample> counterexamples;
  Progress progress("explaining", "cases");
  for (const Found& found : result.found) {
    progress.Update(counterexamples.size(), result.found.size());
    const GuardedRun run(found.unit.entry->subject->name(), found.unit.scenario->name,
                         found.unit.synchrony, std::string_view(found.token));
    // What was expected needs no explanation; a replay of it gives one.
    const Effort effort = result.report.results[found.row].pass ? Effort::kShow : Effort::kTry;
    counterexamples.push_back(
        Explain(found, registry.program(), effort, &Interrupted()).counterexample);
  }
  return counterexamples;
}

}  // namespace

std::string FileNameOf(const Found& found) {
  std::string name =
      fmt::format("{}.{}.{}.{}.json", found.unit.entry->subject->name(), found.unit.scenario->name,
                  ToString(found.unit.synchrony), Slug(found.property));
  std::replace(name.begin(), name.end(), '/', '-');  // lock names have no other unsafe letters
  return "counterexamples/" + name;
}

void Guard(const OutputSettings& settings, const Registry& registry, std::uint64_t seed) {
  constexpr std::string_view kPlace = "@reason@";
  reports::RunReport partial;
  partial.tool = ThisTool();
  partial.seed = seed;
  partial.status = reports::RunStatus::kPartial;
  partial.notes.emplace_back(kPlace);
  const std::string json = ToJson(partial);
  const std::size_t place = json.find(kPlace);
  GuardOptions options;
  options.patience = std::chrono::seconds(settings.watchdog);
  options.program = registry.program();
  options.partial_before = json.substr(0, place - 1);
  options.partial_after = json.substr(place + kPlace.size() + 1);
  options.partial_to_stdout = settings.json;
  if (!settings.out.empty()) {
    options.partial_path = (std::filesystem::path(settings.out) / "run.json").string();
  }
  InstallGuard(std::move(options));
}

ExitCode PrepareOut(const OutputSettings& settings) {
  if (settings.out.empty()) return ExitCode::kPass;
  const auto problem = PrepareFolder(settings.out);
  return problem.has_value() ? Complain(ExitCode::kBadInput, *problem) : ExitCode::kPass;
}

ExitCode WriteFile(const OutputSettings& settings, const std::string& name,
                   const std::string& content) {
  const auto error = reports::WriteArtefact(settings.out, name, content);
  return error ? Complain(ExitCode::kInternal, error->ToString()) : ExitCode::kPass;
}

ExitCode Publish(const OutputSettings& settings, const Registry& registry,
                 const CampaignOptions& options, CampaignResult result,
                 std::chrono::steady_clock::time_point started) {
  reports::RunReport& report = result.report;
  report.tool = ThisTool();
  report.tool.program = registry.program();
  const std::vector<reports::Counterexample> counterexamples = ExplainAll(registry, result);
  if (!settings.out.empty()) {
    for (const Found& found : result.found) {
      report.results[found.row].counterexample = FileNameOf(found);
    }
  }
  // Of shards, whoever merges them compares: once for all.
  if (options.shard.total <= 1) CompareWithSecondProcess(options, report);
  report.totals.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started);
  ExitCode code = CodeOf(options, report);
  const std::string json = ToJson(report);
  code = Combine(
      code, Print(settings.json ? json : ToText(report, counterexamples, TextOptionsForStdout())));
  if (!settings.out.empty()) {
    for (std::size_t i = 0; i < counterexamples.size(); ++i) {
      code = Combine(code,
                     WriteFile(settings, FileNameOf(result.found[i]), ToJson(counterexamples[i])));
    }
    // Several shards may share the folder.
    if (options.shard.total > 1) return Combine(code, InterruptionCode());
    code = Combine(code, WriteFile(settings, "junit.xml", ToJUnit(report, counterexamples)));
    code = Combine(code, WriteFile(settings, "run.json", json));
  }
  return Combine(code, InterruptionCode());
}

ExitCode SelectInto(const std::string& pattern, std::vector<const Scenario*>& scenarios) {
  auto selected = SelectScenarios(pattern);
  if (!selected.ok()) return Complain(ExitCode::kUsage, selected.status().message());
  scenarios = std::move(*selected);
  return ExitCode::kPass;
}

ExitCode SelectUnits(const Registry& registry, const std::string& lock, const std::string& scenario,
                     CampaignOptions& options) {
  auto entries = registry.Select(lock);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  if (const ExitCode bad = SelectInto(scenario, options.scenarios); bad != ExitCode::kPass) {
    return bad;
  }
  options.entries = std::move(*entries);
  if (!UnitsOf(options).empty()) return ExitCode::kPass;
  return Complain(ExitCode::kUsage, "none of these scenarios applies to any of these locks");
}

}  // namespace interlock::scenarios::cli
