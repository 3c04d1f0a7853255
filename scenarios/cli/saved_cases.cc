// SPDX-License-Identifier: MIT
#include "scenarios/cli/saved_cases.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/rows.h"
#include "sim/universe.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

/// The names of the files that may be cases, in their order.
std::vector<std::string> CasesIn(const std::string& folder, std::error_code& error) {
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".json") names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

reports::ResultRow RowFor(const ReplayCase& replayed, Judged property, const RunResult& run) {
  reports::ResultRow row = RowOf(replayed.unit, property);
  row.runs = 1;
  row.exercised = run.exercised[property] ? 1 : 0;
  row.replay = replayed.token_text;
  row.expected = replayed.unit.entry->specimen ? reports::Expectation::kBreaks
                                               : ExpectationOf(replayed.unit, property);
  if (run.inconclusive) {
    row.reason = *run.inconclusive;
  } else if (const Violation* violation = run.Find(property)) {
    row.verdict = reports::Verdict::kViolated;
    row.reason = violation->what;
  } else {
    row.verdict = reports::Verdict::kHolds;
  }
  const bool broke = row.verdict == reports::Verdict::kViolated;
  const bool held = row.verdict == reports::Verdict::kHolds;
  row.pass = row.expected == reports::Expectation::kHolds    ? held
             : row.expected == reports::Expectation::kBreaks ? broke
                                                             : true;
  return row;
}

/// Of a run that did not come to its end.
reports::ResultRow RowFor(const ReplayCase& replayed, Judged property, const WorkerEnd& end) {
  reports::ResultRow row = RowOf(replayed.unit, property);
  row.runs = 1;
  row.exercised = property == Judged::kCrash ? 1 : 0;
  row.replay = replayed.token_text;
  row.reason = fmt::format("the lock {}", end.what);
  if (property == Judged::kCrash) row.verdict = reports::Verdict::kViolated;
  return row;
}

}  // namespace

SavedCases ReplaySavedCases(const std::string& folder, const Registry& registry,
                            std::chrono::seconds patience) {
  SavedCases saved;
  std::error_code error;
  const std::vector<std::string> names = CasesIn(folder, error);
  if (error || names.empty()) {
    const std::string why = error ? error.message() : "no *.json file is in it";
    saved.code = Complain(ExitCode::kUsage, fmt::format("--cases {}: {}", folder, why));
    return saved;
  }
  sim::Universe universe;
  CampaignOptions isolation;
  isolation.isolate = true;
  isolation.patience = patience;
  isolation.stop = &Interrupted();
  IsolatedRunner isolated(isolation);
  for (const std::string& name : names) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    const auto replayed = ReadReplayCase(path, registry);
    const auto property =
        replayed.ok() ? JudgedFromSlug(replayed->file->property) : std::optional<Judged>();
    if (!property) {
      const std::string why =
          replayed.ok() ? fmt::format("{}: unknown property \"{}\"", path, replayed->file->property)
                        : std::string(replayed.status().message());
      saved.code =
          Combine(saved.code, Complain(ExitCode::kBadInput, "saved case not replayed: " + why));
      continue;
    }
    const RunCase run_case{replayed->unit.entry->subject.get(), replayed->unit.scenario,
                           replayed->unit.synchrony};
    if (isolated.Isolates(*replayed->unit.entry)) {
      if (const auto end = isolated.EndOf(replayed->unit, replayed->token_text, false)) {
        saved.rows.push_back(RowFor(*replayed, *property, *end));
        saved.rows.back().saved_case = name;
        continue;
      }
    }
    const GuardedRun guarded(run_case.subject->name(), run_case.scenario->name, run_case.synchrony,
                             std::string_view(replayed->token_text));
    sim::Choices choices = replayed->Choices();
    const RunResult run = RunOnce(universe, run_case, replayed->workload, choices);
    saved.rows.push_back(RowFor(*replayed, *property, run));
    saved.rows.back().saved_case = name;
  }
  return saved;
}

}  // namespace interlock::scenarios::cli
