// SPDX-License-Identifier: MIT
#include <interlock/harness/check.h>

#include <algorithm>

#include "reports/exit_code.h"
#include "reports/text_writer.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/registry.h"
#include "scenarios/search/to_report.h"

namespace interlock::harness {

std::vector<std::string> ScenariosFor(const Subject& subject, const std::string& scenario) {
  std::vector<std::string> names;
  const auto selected = scenarios::cli::SelectScenarios(scenario);
  if (!selected.ok()) return names;
  for (const scenarios::Scenario* one : *selected) {
    if (scenarios::Applies(*one, subject.traits())) names.emplace_back(one->name);
  }
  return names;
}

CheckVerdict Check(std::shared_ptr<const Subject> subject, const CheckOptions& options) {
  CheckVerdict verdict;
  const auto scenarios = scenarios::cli::SelectScenarios(options.scenario);
  if (subject == nullptr || !scenarios.ok()) {
    verdict.text = subject == nullptr ? "the subject is null" : scenarios.status().message();
    return verdict;
  }
  scenarios::CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.runs = std::max<std::uint64_t>(options.runs, 1);
  campaign.jobs = options.jobs;
  campaign.entries.push_back({std::move(subject), false, {}, true});
  campaign.scenarios = *scenarios;
  scenarios::CampaignResult result = scenarios::RunCampaign(campaign);
  result.report.tool = scenarios::cli::ThisTool(options.program);
  std::vector<reports::Counterexample> counterexamples;
  for (const scenarios::Found& found : result.found) {
    const auto& row = result.report.results[found.row];
    const auto effort = row.pass ? scenarios::Effort::kShow : scenarios::Effort::kTry;
    counterexamples.push_back(scenarios::Explain(found, options.program, effort).counterexample);
  }
  const reports::ExitCode code = ExitCodeOf(result.report);
  verdict.passed = code == reports::ExitCode::kPass;
  verdict.violated = code == reports::ExitCode::kViolated;
  if (!verdict.passed) {
    result.report.notes.emplace_back(
        "the lock ran in this very process: were it to crash or hang, so would all else in it; in "
        "a program with interlock::harness::Main that is a failure like any other");
  }
  verdict.text = ToText(result.report, counterexamples, reports::TextOptions{});
  return verdict;
}

}  // namespace interlock::harness
