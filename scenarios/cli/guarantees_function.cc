// SPDX-License-Identifier: MIT
#include <interlock/harness/guarantees.h>

#include <algorithm>

#include "scenarios/cli/output.h"
#include "scenarios/cli/registry.h"
#include "scenarios/search/guarantees.h"

namespace interlock::harness {

GuaranteesVerdict Guarantees(std::shared_ptr<const Subject> subject,
                             const GuaranteesOptions& options) {
  GuaranteesVerdict verdict;
  const auto places = scenarios::cli::SelectFaultClasses(options.faults);
  if (subject == nullptr || !places.ok()) {
    verdict.text = subject == nullptr ? "the subject is null" : places.status().message();
    return verdict;
  }
  verdict.text = scenarios::WrongPromise(*subject);
  if (!verdict.text.empty()) return verdict;
  scenarios::CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.runs = std::max<std::uint64_t>(options.runs, 1);
  campaign.jobs = options.jobs;
  campaign.entries.push_back({std::move(subject), false, {}, true});
  campaign.scenarios = *places;
  scenarios::CampaignResult result = scenarios::RunCampaign(campaign);
  result.report.tool = scenarios::cli::ThisTool(options.program);
  const reports::GuaranteeTable table = scenarios::TableOf(result.report);
  const reports::ExitCode code = ExitCodeOf(table);
  verdict.kept = code == reports::ExitCode::kPass;
  verdict.broken = code == reports::ExitCode::kViolated;
  verdict.text = ToText(table, reports::TextOptions{});
  verdict.json = ToJson(table);
  verdict.markdown = ToMarkdown(table);
  return verdict;
}

}  // namespace interlock::harness
