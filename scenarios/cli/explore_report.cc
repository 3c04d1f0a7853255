// SPDX-License-Identifier: MIT
#include "scenarios/cli/explore_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/text_writer.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/explore/needs.h"
#include "scenarios/search/explore/verdict.h"
#include "scenarios/search/row_book.h"
#include "scenarios/search/to_report.h"
#include "scenarios/search/unit_runner.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Verdict;

Found FoundBy(const MinimalCase& minimal, const Unit& unit) {
  Found found;
  found.unit = unit;
  found.property = minimal.property;
  found.original = minimal.workload;
  found.workload = minimal.workload;
  found.tape = minimal.tape;
  found.token = TokenOf(unit, PackedRun{minimal.workload, minimal.tape});
  return found;
}

/// What an exhaustive search reports instead of a frequency.
std::string WhyMinimal(const MinimalCase& minimal) {
  const auto count = [](int number, std::string_view what) {
    return reports::Count(static_cast<std::uint64_t>(number), what);
  };
  return fmt::format(
      "{}, {}{} and {} (within smaller bounds no run fails: all with such lengths were explored)",
      count(minimal.bounds.clients, "client"), count(minimal.bounds.attempts, "attempt"),
      minimal.bounds.clients > 1 ? " each" : "", count(minimal.faults, "fault"));
}

/// The verdict on one property, or why there is none.
void Judge(const Exploration& exploration, Judged property, reports::ResultRow& row) {
  row.exercised = exploration.exercised[property];
  row.verdict = Verdict::kInconclusive;
  if (exploration.violation && exploration.violation->property == property) {
    row.verdict = Verdict::kViolated;
    row.reason = exploration.violation->what;
  } else if (exploration.divergences > 0) {
    row.reason = DivergenceText(exploration);
  } else if (!exploration.inconclusive.empty()) {
    row.reason = exploration.inconclusive;
  } else if (exploration.violation) {
    row.reason =
        fmt::format("the search ended at a violation of {}", Slug(exploration.violation->property));
  } else if (!exploration.complete) {
    row.reason = "the search was stopped before its end";
  } else if (row.exercised == 0) {
    row.reason = "no run put it to the test";
  } else {
    row.verdict = Verdict::kHolds;
    row.reason.clear();
  }
  row.pass = row.verdict != Verdict::kViolated;
}

/// Properties that the scenario judges but that were not searched for, as no lock can promise them
/// there; a line for each reason.
std::vector<std::string> NotDemanded(const ExploreOptions& options) {
  const RunCase& run_case = options.run_case;
  std::vector<std::pair<std::string_view, std::string>> reasons;
  if (!options.only.empty()) return {};
  for (const Judged property : JudgedFor(*run_case.scenario, *run_case.subject)) {
    const std::string_view why = WhyNotDemanded(property, options);
    if (why.empty()) continue;
    const auto same =
        std::ranges::find_if(reasons, [why](const auto& one) { return one.first == why; });
    if (same == reasons.end()) {
      reasons.emplace_back(why, Slug(property));
    } else {
      same->second.append(", ").append(Slug(property));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [why, properties] : reasons) {
    lines.push_back(fmt::format("not demanded: {}: {}", properties, why));
  }
  return lines;
}

reports::RunReport RowsOf(const Exploration& exploration, const ExploreOptions& options,
                          const Unit& unit, const std::string& verdict) {
  UnitResult sum;
  sum.runs = exploration.progress.runs;
  sum.commands = exploration.commands;
  CampaignResult result;
  FillRows({unit}, {sum}, result);
  reports::RunReport& report = result.report;
  const std::vector<Judged> looked_for = LookedFor(options);
  std::erase_if(report.results, [&looked_for](const reports::ResultRow& row) {
    const auto property = JudgedFromSlug(row.property);
    return !property || std::ranges::find(looked_for, *property) == looked_for.end();
  });
  for (reports::ResultRow& row : report.results) {
    Judge(exploration, *JudgedFromSlug(row.property), row);
  }
  report.goals.clear();  // Every run within the bounds was to be made: nothing was left to chance.
  report.notes.push_back(verdict);
  TellServer(*options.run_case.scenario->server, report);
  for (std::string& note : NotDemanded(options)) report.notes.push_back(std::move(note));
  if (exploration.complete && !exploration.violation && exploration.divergences == 0) {
    sim::Universe universe;
    for (const Need& need : UnmetNeeds(universe, options)) report.notes.push_back(ToText(need));
  }
  const bool ended = exploration.complete || exploration.violation.has_value();
  if (!ended) report.status = reports::RunStatus::kPartial;
  return std::move(report);
}

}  // namespace

ExploreReport MakeReport(const Exploration& exploration, const ExploreOptions& options,
                         const Entry& entry, const std::string& program) {
  const Unit unit{&entry, options.run_case.scenario, options.run_case.synchrony};
  const std::string verdict =
      fmt::format("{} in {} ({}): {}", entry.subject->name(), unit.scenario->name,
                  ToString(unit.synchrony), VerdictText(exploration, options.bounds));
  ExploreReport made;
  made.report = RowsOf(exploration, options, unit, verdict);
  if (!exploration.violation) return made;
  made.found = FoundBy(*exploration.violation, unit);
  for (std::size_t i = 0; i < made.report.results.size(); ++i) {
    reports::ResultRow& row = made.report.results[i];
    if (row.property != Slug(made.found->property)) continue;
    made.found->row = i;
    row.replay = made.found->token;
  }
  made.counterexample = Explain(*made.found, program, Effort::kTry, options.stop).counterexample;
  if (exploration.violation->minimal) {
    auto& needed = made.counterexample->needed;
    needed.insert(needed.begin(), WhyMinimal(*exploration.violation));
  }
  return made;
}

std::string ToText(const ExploreReport& report, const reports::TextOptions& options) {
  std::string text;
  if (report.counterexample) text = reports::ToText(*report.counterexample, options) + "\n";
  for (const std::string& note : report.report.notes) text += note + "\n";
  std::string untested;
  for (const reports::ResultRow& row : report.report.results) {
    if (row.exercised > 0 || row.verdict == Verdict::kViolated || report.found) continue;
    untested += (untested.empty() ? "" : ", ") + row.property;
  }
  if (!untested.empty()) text += fmt::format("not put to the test: {}\n", untested);
  return text;
}

reports::ExitCode ExitCodeOf(const Exploration& exploration) {
  if (exploration.divergences > 0) return reports::ExitCode::kInternal;
  if (exploration.violation) return reports::ExitCode::kViolated;
  const bool said = exploration.complete && exploration.inconclusive.empty();
  return said ? reports::ExitCode::kPass : reports::ExitCode::kInconclusive;
}

}  // namespace interlock::scenarios::cli
