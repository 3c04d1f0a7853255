// SPDX-License-Identifier: MIT
#include "scenarios/search/row_book.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/lock_exploration.h"
#include "scenarios/search/rows.h"
#include "sim/posix/objects.h"
#include "sim/posix/unserved.h"

namespace interlock::scenarios {
namespace {

/// After this number of runs, a kind of fault that could have struck in them but never did is a gap
/// in the campaign. Lost pushes are exempt, because whether a push can be lost depends on the lock,
/// and so is the end of a key, if the lock lasts as long as its connection.
constexpr std::uint64_t kEnoughRuns = 1000;

using UnitWithSum = std::pair<const Unit*, const UnitResult*>;

void AddFaultGoals(const std::vector<UnitWithSum>& units, reports::RunReport& report) {
  std::array<std::uint64_t, kFaultNumbers> struck{};
  std::array<std::uint64_t, kFaultNumbers> possible{};
  for (const auto& [unit, sum] : units) {
    for (std::size_t kind = 0; kind < kFaultNumbers; ++kind) struck[kind] += sum->struck[kind];
    if (unit->entry->specimen) continue;
    const bool leaseless = unit->entry->subject->traits().lasts_as_connection;
    for (const sim::FaultKind kind : unit->scenario->shape.faults) {
      if (kind == sim::FaultKind::kLostPush) continue;
      const bool at_an_end = sim::FindFault(kind)->scale == sim::FaultScale::kAroundExpiry;
      if (at_an_end && leaseless) continue;
      possible[static_cast<std::size_t>(kind)] += sum->runs;
    }
  }
  for (const sim::FaultInfo& fault : sim::KnownFaults()) {
    const auto kind = static_cast<std::size_t>(fault.kind);
    if (struck[kind] == 0 && possible[kind] < kEnoughRuns) continue;
    report.goals.push_back({fmt::format("fault {}", fault.name), struck[kind]});
  }
}

/// A goal that was never reached is reported only where it could have been.
void AddGoals(const std::vector<UnitWithSum>& units, reports::RunReport& report) {
  GoalCounts goals{};
  GoalCounts reachable{};
  for (const auto& [unit, sum] : units) {
    for (std::size_t goal = 0; goal < kGoalCount; ++goal) goals[goal] += sum->goals[goal];
    if (unit->entry->specimen) continue;
    Count(ReachableGoals(*unit->scenario, unit->entry->subject->traits(), sum->runs), reachable);
  }
  for (std::size_t goal = 0; goal < kGoalCount; ++goal) {
    if (goals[goal] == 0 && reachable[goal] == 0) continue;
    report.goals.push_back({std::string(Name(static_cast<Goal>(goal))), goals[goal]});
  }
}

using CodesOfLocks = std::map<std::string_view, std::set<std::string_view>>;

/// Adds the properties that are not judged because the lock shows no owners in the server.
void AddUnjudged(const Unit& unit, CodesOfLocks& unjudged) {
  const harness::Subject& subject = *unit.entry->subject;
  const std::vector<Judged> judged = JudgedFor(*unit.scenario, subject);
  for (const Judged property : JudgedFor(*unit.scenario, subject.traits())) {
    if (std::find(judged.begin(), judged.end(), property) != judged.end()) continue;
    unjudged[subject.name()].insert(Code(property));
  }
}

Found FoundIn(const Unit& unit, Judged property, std::vector<std::uint64_t> candidates,
              std::uint64_t violating_runs) {
  Found found;
  found.unit = unit;
  found.property = property;
  found.candidates = std::move(candidates);
  found.violating_runs = violating_runs;
  return found;
}

bool IsWitnessOf(const Unit& unit, Judged property) {
  return std::find(unit.witness_of.begin(), unit.witness_of.end(), property) !=
         unit.witness_of.end();
}

bool IsCompiledForeign(const UnitWithSum& one) {
  return one.first->entry->foreign && one.first->entry->subject->traits().posix;
}

/// What code as it is compiled shares, and what it calls that is not served.
void AddCompiledNotes(const std::vector<UnitWithSum>& units, reports::RunReport& report) {
  std::map<std::string_view, std::set<std::string_view>> shared;
  for (const auto& [unit, sum] : units) {
    const auto& names = sum->shared_statics;
    if (!names.empty()) shared[unit->entry->subject->name()].insert(names.begin(), names.end());
  }
  for (const auto& [lock, names] : shared) {
    report.notes.push_back(fmt::format(
        "{}: all clients and runs share these static variables: {}. Those of a shared object "
        "that the program is linked with each client has for itself",
        lock, fmt::join(names, ", ")));
  }
  if (std::ranges::none_of(units, &IsCompiledForeign)) return;
  for (const std::string& path : sim::posix::UnreadObjects()) {
    report.notes.push_back(
        fmt::format("{} cannot be read: all clients and runs share its static variables", path));
  }
  for (const std::string& path : sim::posix::ObjectsLeftOut()) {
    report.notes.push_back(
        fmt::format("{}: all clients and runs share its static variables, as {} "
                    "has it",
                    path, sim::posix::kSharedStatics));
  }
  for (const std::string& name : sim::posix::UnknownObjects()) {
    report.notes.push_back(
        fmt::format("{} names \"{}\", and no shared object that is loaded is "
                    "called so",
                    sim::posix::kSharedStatics, name));
  }
  for (const auto& [object, names] : sim::posix::UnservedImports()) {
    report.notes.push_back(
        fmt::format("{} calls what no simulated process has: {}. A run that comes to such a call "
                    "ends there, or acts upon the real machine",
                    object, fmt::join(names, ", ")));
  }
}

}  // namespace

void RowBook::AddTotals(const Unit& unit, const UnitResult& sum) {
  reports::RunReport& report = result_.report;
  report.totals.runs += sum.runs + (sum.crash ? 1 : 0);
  report.totals.runs_with_faults += sum.runs_with_faults;
  report.totals.commands += sum.commands;
  report.totals.double_runs += sum.double_runs;
  report.totals.divergences += sum.divergences;
  // Added up in ms, because the sum of many long rests would overflow in ns.
  report.totals.virtual_time +=
      std::chrono::duration_cast<std::chrono::milliseconds>(sum.virtual_time);
  report.trace_hash = sim::HashNumber(sum.hash, report.trace_hash);
  if (sum.divergences > 0) {
    report.notes.push_back(fmt::format(
        "{} of {} runs of {} in {} had another trace when they were made again, in another process",
        sum.divergences, sum.double_runs, unit.entry->subject->name(), unit.scenario->name));
  }
  for (const auto& [story, count] : sum.stories) {
    report.notes.push_back(fmt::format("{} ({} of {} runs)", story, count, sum.runs));
  }
  if (auto note = LossNote(unit, sum)) report.notes.push_back(std::move(*note));
}

void RowBook::Add(const Unit& unit, const UnitResult& sum) {
  const bool witness = !unit.witness_of.empty();
  if (witness) {
    result_.report.totals.divergences += sum.divergences;
  } else {
    units_.emplace_back(&unit, &sum);
    AddTotals(unit, sum);
  }
  std::vector<reports::ResultRow>& rows = result_.report.results;
  for (const Judged property : JudgedFor(*unit.scenario, *unit.entry->subject)) {
    if (witness && !IsWitnessOf(unit, property)) continue;
    rows.push_back(MakeRow(unit, sum, property));
    if (witness || rows.back().verdict != reports::Verdict::kViolated) continue;
    if (auto note = SweepNote(unit, sum, property)) {
      result_.report.notes.push_back(std::move(*note));
    }
    AddFound(FoundIn(unit, property, sum.violations[property], sum.violating_runs[property]),
             sum.runs);
  }
  if (!sum.crash) return;
  rows.push_back(CrashRow(unit, sum));
  if (EndsUnserved(unit, sum.crash->what)) return;
  AddFound(FoundIn(unit, Judged::kCrash, {sum.crash->index}, 1), sum.runs + 1);
}

void RowBook::Add(const LockExploration& exploration, const ExplorationSum& sum) {
  reports::RunReport& report = result_.report;
  report.totals.states += sum.states;
  report.totals.divergences += sum.divergences;
  for (const Judged property : LookedFor(exploration.options)) {
    report.results.push_back(RowOf(exploration, sum, property));
    if (!sum.violation || sum.violation->property != property) continue;
    AddFound(FoundBy(exploration, property, sum.violation->token), sum.runs);
  }
  if (!sum.crash) return;
  report.results.push_back(CrashRow(exploration, sum));
  AddFound(FoundBy(exploration, Judged::kCrash, sum.crash->token), sum.runs);
}

void RowBook::AddFound(Found found, std::uint64_t runs) {
  found.row = result_.report.results.size() - 1;
  found.runs = runs;
  result_.found.push_back(std::move(found));
}

std::span<const reports::ResultRow> RowBook::Decide() {
  std::vector<reports::ResultRow>& rows = result_.report.results;
  const std::size_t first = decided_;
  for (; decided_ < rows.size(); ++decided_) {
    reports::ResultRow& row = rows[decided_];
    if (!row.proof && row.saved_case.empty()) DecideRow(row, rows);
  }
  return std::span(rows).subspan(first);
}

void RowBook::Close() {
  AddCompiledNotes(units_, result_.report);
  CodesOfLocks unjudged;
  for (const auto& [unit, sum] : units_) AddUnjudged(*unit, unjudged);
  for (const auto& [lock, codes] : unjudged) {
    result_.report.notes.push_back(
        fmt::format("{}: Owners() shows nothing, so not judged: {}", lock, fmt::join(codes, ", ")));
  }
  AddGoals(units_, result_.report);
  AddFaultGoals(units_, result_.report);
}

void FillRows(const std::vector<Unit>& units, const std::vector<UnitResult>& sums,
              CampaignResult& result) {
  RowBook book(result);
  for (std::size_t i = 0; i < units.size(); ++i) book.Add(units[i], sums[i]);
  book.Close();
}

}  // namespace interlock::scenarios
