// SPDX-License-Identifier: MIT
#include "scenarios/cli/saved_cases.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/rows.h"
#include "sim/universe.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

/// The names of files that may be cases, in order.
std::vector<std::string> CasesIn(const std::string& folder, std::error_code& error) {
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".json") names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool IsAmong(const Entry& entry, const std::vector<Entry>& entries) {
  return std::ranges::any_of(
      entries, [&](const Entry& other) { return other.subject->name() == entry.subject->name(); });
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

/// For a run that did not reach its end.
reports::ResultRow RowFor(const ReplayCase& replayed, Judged property, const WorkerEnd& end) {
  reports::ResultRow row = RowOf(replayed.unit, property);
  row.runs = 1;
  row.exercised = property == Judged::kCrash ? 1 : 0;
  row.replay = replayed.token_text;
  row.reason = fmt::format("the lock {}", end.what);
  const bool unserved = EndsUnserved(replayed.unit, end.what);
  if (property == Judged::kCrash && !unserved) row.verdict = reports::Verdict::kViolated;
  return row;
}

reports::ResultRow RowOfReplay(const ReplayCase& replayed, Judged property,
                               IsolatedRunner& isolated, sim::Universe& universe) {
  if (isolated.Isolates(*replayed.unit.entry)) {
    const auto end = isolated.EndOf(replayed.unit, replayed.token_text, false);
    if (end) return RowFor(replayed, property, *end);
  }
  const GuardedRun guarded(replayed.token.lock, replayed.token.scenario, replayed.token.synchrony,
                           std::string_view(replayed.token_text));
  return RowFor(replayed, property, replayed.Run(universe));
}

}  // namespace

SavedCases ReplaySavedCases(const std::string& folder, const Registry& registry,
                            const std::vector<Entry>& asked, std::chrono::seconds patience) {
  SavedCases saved;
  std::error_code error;
  const std::vector<std::string> names = CasesIn(folder, error);
  if (error || names.empty()) {
    const std::string why = error ? error.message() : "it has no *.json file";
    saved.code = Complain(ExitCode::kUsage, fmt::format("--cases {}: {}", folder, why));
    return saved;
  }
  sim::Universe universe;
  int left_out = 0;
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
    if (!IsAmong(*replayed->unit.entry, asked)) {
      ++left_out;
      continue;
    }
    saved.rows.push_back(RowOfReplay(*replayed, *property, isolated, universe));
    saved.rows.back().saved_case = name;
  }
  if (left_out > 0) {
    Complain(ExitCode::kPass,
             fmt::format("--cases {}: {} of other locks left out", folder, left_out));
  }
  return saved;
}

}  // namespace interlock::scenarios::cli
