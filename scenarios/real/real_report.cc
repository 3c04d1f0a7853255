// SPDX-License-Identifier: MIT
#include "scenarios/real/real_report.h"

#include <cstddef>

#include <fmt/format.h>

namespace interlock::scenarios::real {
namespace {

using reports::ResultRow;
using reports::Verdict;

/// What is inferred from the instants of a simulation alone: no row of a real run speaks of it.
bool IsSimulationOnly(Judged property) {
  switch (property) {
    case Judged::kFencedWrites:
    case Judged::kTokens:
    case Judged::kSpuriousRefusal:
    case Judged::kOrder:
    case Judged::kFalseValidity:
    case Judged::kTermination:
      return true;
    default:
      return false;
  }
}

/// What needs a look into the server between two commands, or workloads that are not run here.
bool IsJudgedHere(Judged property) {
  return property != Judged::kForeignRelease && property != Judged::kForeignExtend;
}

void NoteUndecided(Judged property, const std::string& why, RealUnit& unit) {
  if (unit.undecided[property]++ == 0) unit.first_undecided[property] = why;
}

std::string ReasonOf(const RealUnit& unit, Judged property, Verdict verdict) {
  if (verdict == Verdict::kViolated) {
    return fmt::format("in run {}: {}", *unit.first_violation[property] + 1, unit.what[property]);
  }
  if (!IsJudgedHere(property)) return "judged in simulation only";
  if (unit.undecided[property] > 0) {
    return fmt::format("{} of {} runs could not be judged: {}", unit.undecided[property], unit.runs,
                       unit.first_undecided[property]);
  }
  return verdict == Verdict::kInconclusive ? "no run put it to the test" : "";
}

}  // namespace

void AddRealRun(const RealRun& run, const RealVerdict& verdict, RealUnit& unit) {
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

void AddRows(const RealUnit& unit, reports::RunReport& report) {
  if (unit.runs == 0) return;
  for (const Judged property : JudgedFor(*unit.scenario, unit.subject->traits())) {
    if (IsSimulationOnly(property)) continue;
    ResultRow row;
    row.lock = unit.subject->name();
    row.kind = reports::LockKind::kSound;
    row.scenario = unit.scenario->name;
    row.synchrony = reports::SynchronyClass::kNone;
    row.property = Slug(property);
    row.code = Code(property);
    row.expected = reports::Expectation::kHolds;
    row.runs = unit.runs;
    row.exercised = IsJudgedHere(property) ? unit.exercised[property] : 0;
    row.verdict = row.exercised > 0 ? Verdict::kHolds : Verdict::kInconclusive;
    if (const auto first = unit.first_violation[property]) {
      row.verdict = Verdict::kViolated;
      row.runs_to_first_violation = *first + 1;
    }
    row.pass = row.verdict == Verdict::kHolds;
    row.reason = ReasonOf(unit, property, row.verdict);
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
