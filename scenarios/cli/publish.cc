// SPDX-License-Identifier: MIT
#include "scenarios/cli/publish.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/artefacts.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cases/server_words.h"
#include "scenarios/cli/comparison.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/run/parallel.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

/// A single shard is always partial: only violations it has seen count.
ExitCode CodeOf(const CampaignOptions& options, const reports::RunReport& report) {
  if (options.shard.total <= 1) return ExitCodeOf(report);
  ExitCode code = report.totals.divergences > 0 ? ExitCode::kInternal : ExitCode::kPass;
  for (const reports::ResultRow& row : report.results) code = Combine(code, ExitCodeOf(row));
  return code;
}

/// One for each case to be explained, in the order of the cases.
std::vector<reports::Counterexample> ExplainAll(const Registry& registry,
                                                const CampaignOptions& options,
                                                const CampaignResult& result) {
  std::vector<const Found*> cases;
  for (const Found& found : result.found) {
    if (found.explain) cases.push_back(&found);
  }
  std::vector<reports::Counterexample> counterexamples(cases.size());
  std::atomic<std::uint64_t> done{0};
  const auto new_piece = [&]() -> Piece {
    auto runner = std::make_shared<IsolatedRunner>(options);
    return [&, runner](std::size_t index) {
      const Found& found = *cases[index];
      const GuardedRun run(found.unit.entry->subject->name(), found.unit.scenario->name,
                           found.unit.synchrony, std::string_view(found.token));
      // An expected violation needs no explanation; a replay gives one.
      const Effort effort = result.report.results[found.row].pass ? Effort::kShow : Effort::kTry;
      counterexamples[index] = runner->Explain(found, registry.program(), effort);
      ++done;
    };
  };
  Progress progress("explaining", "cases");
  InParallel(options.jobs, cases.size(), new_piece, [&] { progress.Update(done, cases.size()); });
  return counterexamples;
}

}  // namespace

std::string FileNameOf(const Found& found) {
  std::string name = fmt::format("{}.{}.{}.{}{}.json", found.unit.entry->subject->name(),
                                 found.unit.scenario->name, ToString(found.unit.synchrony),
                                 Slug(found.property), found.candidates.empty() ? ".explored" : "");
  std::ranges::replace(name, '/', '-');  // lock names have no other unsafe letters
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
  if (settings.out.empty()) return ExitCode::kPass;
  const auto error = reports::WriteArtefact(settings.out, name, content);
  return error ? Complain(ExitCode::kInternal, error->ToString()) : ExitCode::kPass;
}

Publication::Publication(const OutputSettings& settings, const Registry& registry,
                         CampaignOptions& options)
    : settings_(settings),
      registry_(registry),
      options_(options),
      started_(std::chrono::steady_clock::now()),
      text_(TextOptionsForStdout()),
      live_(!settings.json && options.shard.total <= 1 && !options.budget),
      rows_(text_) {
  if (!live_) return;
  reports::RunReport head;
  head.tool = ThisTool();
  head.seed = options.seed;
  head.backend = BackendOf(ServerOf(options));
  printed_ = Print(TextHead(head, text_));
  options.on_rows = [this](std::span<const reports::ResultRow> rows) {
    std::string text;
    for (const reports::ResultRow& row : rows) text += rows_.Add(row);
    told_ += rows.size();
    if (!text.empty()) printed_ = Combine(printed_, Print(text));
  };
}

ExitCode Publication::PrintRest(const reports::RunReport& report,
                                const std::vector<reports::Counterexample>& counterexamples) {
  if (settings_.json) return Print(ToJson(report));
  if (!live_) return Print(ToText(report, counterexamples, text_));
  std::string text;
  for (const reports::ResultRow& row : std::span(report.results).subspan(told_)) {
    text += rows_.Add(row);
  }
  return Print(text + rows_.Finish() + TextRest(report, counterexamples, text_));
}

ExitCode Publication::WriteFiles(const CampaignResult& result,
                                 const std::vector<reports::Counterexample>& counterexamples) {
  ExitCode code = ExitCode::kPass;
  std::size_t next = 0;
  for (const Found& found : result.found) {
    if (!found.explain) continue;
    code = Combine(code, WriteFile(settings_, FileNameOf(found), ToJson(counterexamples[next++])));
  }
  // Several shards may share the folder.
  if (options_.shard.total > 1) return code;
  code = Combine(code, WriteFile(settings_, "junit.xml", ToJUnit(result.report, counterexamples)));
  return Combine(code, WriteFile(settings_, "run.json", ToJson(result.report)));
}

ExitCode Publication::Finish(CampaignResult result) {
  reports::RunReport& report = result.report;
  report.tool = ThisTool(registry_.program());
  const auto counterexamples = ExplainAll(registry_, options_, result);
  if (!settings_.out.empty()) {
    for (const Found& found : result.found) {
      if (found.explain) report.results[found.row].counterexample = FileNameOf(found);
    }
  }
  // For shards, the merge compares, once for all.
  if (options_.shard.total <= 1) CompareWithSecondProcess(options_, report);
  ExitCode code = Combine(printed_, CodeOf(options_, report));
  code = Combine(code, PrintRest(report, counterexamples));
  report.totals.wall_time = MillisecondsSince(started_);
  fmt::print(stderr, "done in {}\n", reports::ShortSeconds(*report.totals.wall_time));
  code = Combine(code, WriteFiles(result, counterexamples));
  return Combine(code, InterruptionCode());
}

ExitCode SelectInto(const std::string& pattern, std::vector<const Scenario*>& scenarios) {
  auto selected = SelectScenarios(pattern);
  if (!selected.ok()) return Complain(ExitCode::kUsage, selected.status().message());
  scenarios = std::move(*selected);
  return ExitCode::kPass;
}

namespace {

/// Why there is nothing to run.
std::string WhyNoUnits(const std::vector<const Scenario*>& scenarios) {
  const bool elsewhere = std::ranges::none_of(scenarios, [](const Scenario* scenario) {
    return scenario->server->IsIn(scenario->servers);
  });
  if (elsewhere && !scenarios.empty()) {
    const Scenario& scenario = *scenarios.front();
    std::vector<std::string_view> has;
    for (const sim::redis::Dialect& one : sim::redis::Dialects()) {
      if (one.IsIn(scenario.servers)) has.push_back(one.name);
    }
    return fmt::format("{} does not happen to {}; expected --server {}", scenario.base_name(),
                       scenario.server->name, fmt::join(has, " or "));
  }
  return "none of these scenarios applies to any of these locks, or specimens are to be "
         "convicted on other servers only";
}

}  // namespace

ExitCode SelectUnits(const Registry& registry, const std::string& lock, const std::string& scenario,
                     bool thorough, CampaignOptions& options) {
  auto entries = registry.Select(lock);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  if (const ExitCode bad = SelectInto(scenario, options.scenarios); bad != ExitCode::kPass) {
    return bad;
  }
  options.server_chosen = scenario.find(Scenario::kOnServer) != std::string::npos;
  options.entries = std::move(*entries);
  const std::string asked = scenario.substr(0, scenario.find(Scenario::kOnServer));
  const bool in_full = thorough || asked != kEverything;
  for (Entry& entry : options.entries) entry.sampled = entry.sampled && !in_full;
  for (const Entry& entry : registry.entries()) {
    if (!entry.specimen && !entry.foreign) options.controls.push_back(entry);
  }
  if (!UnitsOf(options).empty()) return ExitCode::kPass;
  return Complain(ExitCode::kUsage, WhyNoUnits(options.scenarios));
}

}  // namespace interlock::scenarios::cli
