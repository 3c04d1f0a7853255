// SPDX-License-Identifier: MIT
#include "scenarios/search/real/real_report.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/processes/expectations.h"
#include "scenarios/run/processes/real_plan.h"
#include "scenarios/search/rows.h"

namespace interlock::scenarios::real {
namespace {

using reports::Expectation;
using reports::ResultRow;
using reports::Verdict;

void NoteUndecided(Judged property, const std::string& why, RealUnit& unit) {
  if (unit.undecided[property]++ == 0) unit.first_undecided[property] = why;
}

std::string ReasonOf(const RealUnit& unit, Judged property, Verdict verdict) {
  if (verdict == Verdict::kViolated) {
    return fmt::format("in run {}: {}", *unit.first_violation[property] + 1, unit.what[property]);
  }
  if (unit.undecided[property] > 0) {
    return fmt::format("{} of {} runs could not be judged: {}", unit.undecided[property], unit.runs,
                       unit.first_undecided[property]);
  }
  return verdict == Verdict::kInconclusive ? "no run put it to the test" : "";
}

ResultRow RowFor(const RealUnit& unit, Judged property) {
  ResultRow row = RowOf({unit.entry, unit.scenario, RealClass(*unit.scenario)}, property);
  row.runs = unit.runs;
  row.exercised = unit.exercised[property];
  row.verdict = row.exercised > 0 ? Verdict::kHolds : Verdict::kInconclusive;
  if (const auto first = unit.first_violation[property]) {
    row.verdict = Verdict::kViolated;
    row.runs_to_first_violation = *first + 1;
  }
  row.reason = ReasonOf(unit, property, row.verdict);
  return row;
}

/// The properties by which a sound lock is judged in the unit's scenario.
std::vector<Judged> RowsOf(const RealUnit& unit) {
  const harness::Traits traits = unit.entry->subject->traits();
  std::vector<Judged> rows = JudgedFor(*unit.scenario, traits);
  std::erase_if(rows, [&](Judged property) {
    return !WhyNotJudged(property, *unit.scenario, traits).empty();
  });
  return rows;
}

/// Why a sound lock need not hold the property; empty if it must.
std::string_view Excuse(const RealUnit& unit, Judged property) {
  return WhyNotPromised(property, *unit.scenario, RealClass(*unit.scenario),
                        unit.entry->subject->traits());
}

/// The convictions that a specimen is to get in the unit's scenario.
std::vector<Judged> ConvictionsOf(const RealUnit& unit) {
  std::vector<Judged> all;
  for (const Conviction& conviction : unit.entry->expected) {
    const auto property = JudgedFromSlug(conviction.property);
    if (conviction.scenario == unit.scenario->name && property.has_value() &&
        std::find(all.begin(), all.end(), *property) == all.end()) {
      all.push_back(*property);
    }
  }
  return all;
}

/// Why a real run need not give the conviction; empty if it must.
std::string_view WhyNotConvicted(const RealUnit& unit, Judged property) {
  const harness::Subject& subject = *unit.entry->subject;
  if (const auto why = WhyNotHere(*unit.scenario, unit.own); !why.empty()) return why;
  const auto why = WhyNotJudged(property, *unit.scenario, subject.traits());
  return why.empty() ? WhyItMayEscape(unit.entry->expected, property) : why;
}

void AddConviction(const RealUnit& unit, Judged property, reports::RunReport& report) {
  ResultRow row = RowFor(unit, property);
  const std::string_view why = WhyNotConvicted(unit, property);
  row.expected = why.empty() ? Expectation::kBreaks : Expectation::kEither;
  if (!why.empty() && row.verdict != Verdict::kViolated) {
    row.reason = fmt::format("reality need not convict it: {}", why);
  }
  report.results.push_back(std::move(row));
}

}  // namespace

void AddRealRun(const RealRun& run, const OutsideVerdict& verdict, RealUnit& unit) {
  const std::uint64_t index = unit.runs++;
  for (const Judged property : kAllJudged) {
    if (!run.broken.empty()) {
      NoteUndecided(property, run.broken, unit);
      continue;
    }
    if (const Violation* violation = verdict.Find(property)) {
      ++unit.exercised[property];
      if (unit.first_violation[property].has_value()) continue;
      unit.first_violation[property] = index;
      unit.what[property] = violation->what;
    } else if (!verdict.undecided[property].empty()) {
      NoteUndecided(property, verdict.undecided[property], unit);
    } else if (verdict.exercised[property]) {
      ++unit.exercised[property];
    }
  }
}

bool CanBeConvicted(const RealUnit& unit) {
  const std::vector<Judged> all = ConvictionsOf(unit);
  return unit.entry->specimen && std::ranges::any_of(all, [&](Judged property) {
           return WhyNotConvicted(unit, property).empty() ||
                  IsSeenByChance(unit.entry->expected, property);
         });
}

bool IsConvicted(const RealUnit& unit) {
  const std::vector<Judged> all = ConvictionsOf(unit);
  return unit.entry->specimen && std::ranges::all_of(all, [&](Judged property) {
           return unit.first_violation[property].has_value() ||
                  !WhyNotJudged(property, *unit.scenario, unit.entry->subject->traits()).empty();
         });
}

bool IsPutToTheTest(const RealUnit& unit) {
  const std::vector<Judged> rows = RowsOf(unit);
  return std::ranges::all_of(rows, [&](Judged property) {
    return unit.exercised[property] > 0 || !Excuse(unit, property).empty();
  });
}

void AddRows(const RealUnit& unit, reports::RunReport& report) {
  if (unit.entry->specimen) {
    for (const Judged property : ConvictionsOf(unit)) AddConviction(unit, property, report);
    return;
  }
  if (unit.runs == 0) return;
  for (const Judged property : RowsOf(unit)) {
    ResultRow row = RowFor(unit, property);
    const std::string_view excuse = Excuse(unit, property);
    row.expected = excuse.empty() ? Expectation::kHolds : Expectation::kEither;
    if (row.verdict == Verdict::kViolated && !excuse.empty()) row.reason = excuse;
    report.results.push_back(std::move(row));
  }
}

void AddGoals(const GoalCounts& counts, Demanded demanded, reports::RunReport& report) {
  for (std::size_t i = 0; i < kGoalCount; ++i) {
    const Goal goal = static_cast<Goal>(i);
    const bool crash = goal == Goal::kCrashWhileHolding || goal == Goal::kRecoveredAfterCrash;
    const bool wanted =
        (goal == Goal::kContended && demanded.contention) || (crash && demanded.crashes);
    if (counts[i] > 0 || wanted) report.goals.push_back({std::string(Name(goal)), counts[i]});
  }
}

}  // namespace interlock::scenarios::real
