// SPDX-License-Identifier: MIT
#include "scenarios/search/rows.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/guarantees.h"

namespace interlock::scenarios {
namespace {

using reports::Expectation;
using reports::LockKind;
using reports::ResultRow;
using reports::Verdict;

const Weakness* WeaknessIn(const Unit& unit, Judged property) {
  return FindWeakness(*unit.scenario, property, unit.synchrony, unit.entry->subject->traits());
}

std::string_view WhyNot(const Unit& unit, Judged property) {
  return WhyNotPromised(property, *unit.scenario, unit.synchrony, unit.entry->subject->traits());
}

}  // namespace

std::vector<Judged> ConvictionsIn(const Unit& unit) {
  std::vector<Judged> all;
  for (const Conviction& one : unit.entry->expected) {
    if (!one.IsIn(unit.scenario->name, unit.synchrony)) continue;
    if (const auto property = JudgedFromSlug(one.property)) all.push_back(*property);
  }
  return all;
}

Expectation ExpectationOf(const Unit& unit, Judged property) {
  if (property == Judged::kCrash) return Expectation::kHolds;
  if (!unit.scenario->fault_class.empty()) {
    return Promised(*unit.entry->subject, *unit.scenario, property);
  }
  if (!unit.entry->specimen) {
    if (const Weakness* weakness = WeaknessIn(unit, property)) {
      // A lock that prolongs its leases may hold on past the instant at which the case has them
      // end.
      const bool may_hold =
          weakness->by_the_draw || unit.entry->foreign || unit.entry->subject->traits().renews;
      return may_hold ? Expectation::kEither : Expectation::kBreaks;
    }
    // A named case states what cannot hold in it; in a generated case that depends on the draw. The
    // value of a fence depends on the lock, about which a case knows nothing, and so does what a
    // foreign lock can do without an assumption.
    const bool named =
        !unit.scenario->pinned.empty() && property != Judged::kFencedWrites && !unit.entry->foreign;
    return named || WhyNot(unit, property).empty() ? Expectation::kHolds : Expectation::kEither;
  }
  const std::vector<Judged> convictions = ConvictionsIn(unit);
  const bool breaks =
      std::find(convictions.begin(), convictions.end(), property) != convictions.end();
  return breaks ? Expectation::kBreaks : Expectation::kEither;
}

namespace {

/// Why a unit has no verdict on the properties that it did not violate; empty if it has one.
std::string WhyCutShort(const Unit& unit, const UnitResult& sum) {
  if (!sum.left_out.empty()) return sum.left_out;
  if (sum.crash) {
    return fmt::format("run {} {}: the lock {}", sum.crash->index + 1,
                       sum.crash->hung ? "was ended" : "ended its process", sum.crash->what);
  }
  if (!sum.endless || unit.entry->specimen) return "";  // A specimen is judged by its convictions.
  return fmt::format("run {} went on until it was ended: no more were made", sum.runs);
}

Verdict VerdictOf(const Unit& unit, const UnitResult& sum, Judged property) {
  // Runs that cannot be repeated prove nothing for or against a lock.
  if (sum.divergences > 0) return Verdict::kInconclusive;
  if (sum.violating_runs[property] > 0) return Verdict::kViolated;
  if (!WhyCutShort(unit, sum).empty()) return Verdict::kInconclusive;
  if (sum.exercised[property] == 0 || sum.inconclusive > 0) return Verdict::kInconclusive;
  return Verdict::kHolds;
}

std::string ReasonOf(const Unit& unit, const UnitResult& sum, Judged property) {
  if (sum.divergences > 0) {
    return fmt::format("{} of {} double runs diverged", sum.divergences, sum.double_runs);
  }
  if (std::string why = WhyCutShort(unit, sum); !why.empty()) return why;
  if (sum.inconclusive > 0) {
    return fmt::format("{} of {} runs could not be judged: {}", sum.inconclusive, sum.runs,
                       sum.first_inconclusive);
  }
  return sum.exercised[property] == 0 ? "no run put it to the test" : "";
}

/// Whether the lock keeps its leases alive for longer than any generated user holds them: a user
/// loses one only if the process that renews it stands still.
bool OutlastsUsers(const Unit& unit) {
  const harness::Subject& subject = *unit.entry->subject;
  if (!subject.traits().renews) return false;
  harness::LockOptions options;
  options.lease = std::chrono::seconds(1);
  const auto longest = subject.KeptAliveAtMost(options);
  return !longest.has_value() || *longest > options.lease * 5 / 2;
}

/// Why a sound lock of this kind need not exercise the property; empty if it must.
std::string_view WhyUntested(const Unit& unit, const UnitResult& sum, Judged property) {
  using enum Judged;
  if (unit.entry->specimen || !unit.scenario->fault_class.empty() || sum.inconclusive > 0) {
    return {};
  }
  const bool of_lost = property == kForeignRelease || property == kForeignExtend;
  if (of_lost && OutlastsUsers(unit)) {
    return "it keeps its leases alive while they are held, and nobody came back to a lost one";
  }
  // Contention in the runs has shown that the lock grants.
  const bool contended = sum.exercised[kBeliefExclusion] + sum.exercised[kPermitsBelief] > 0;
  const harness::Traits traits = unit.entry->subject->traits();
  if (of_lost && contended && traits.lasts_as_connection) {
    return "a grant ends with its connection, and nobody comes back to it over another one";
  }
  const bool extends = traits.can_extend;
  const bool every_message =
      unit.scenario->sweeps_messages && sum.runs >= unit.scenario->pinned.size();
  if (property == kForeignRelease && contended && !extends && every_message) {
    return "no message is late enough for a lease to be lost that nobody extends";
  }
  if (property == kTokens && contended && !traits.fencing) {
    return "its holds show no tokens";
  }
  return {};
}

/// Explains in the row why a sound lock may break the property here.
void AddExcuse(const Unit& unit, Judged property, ResultRow& row) {
  if (row.kind != LockKind::kSound || !unit.scenario->fault_class.empty()) return;
  const bool named = !unit.scenario->pinned.empty();
  const bool broke = row.verdict == Verdict::kViolated;
  const bool weakness = WeaknessIn(unit, property) != nullptr;
  if (named && weakness && (broke || row.expected == Expectation::kBreaks)) {
    row.reason = fmt::format("the case shows it of every lease lock: {}", unit.scenario->summary);
  } else if (row.expected == Expectation::kEither && broke) {
    row.reason = WhyNot(unit, property);
  }
}

}  // namespace

ResultRow MakeRow(const Unit& unit, const UnitResult& sum, Judged property) {
  ResultRow row = RowOf(unit, property);
  row.expected = ExpectationOf(unit, property);
  row.verdict = VerdictOf(unit, sum, property);
  row.runs = sum.runs;
  row.exercised = sum.exercised[property];
  row.witness = !unit.witness_of.empty();
  const std::size_t placings = unit.scenario->pinned.size();
  if (placings > 0 && sum.runs >= placings) row.placings = placings;
  if (!sum.violations[property].empty()) {
    row.runs_to_first_violation = sum.violations[property].front() + 1;
  }
  if (row.verdict == Verdict::kInconclusive) {
    row.reason = ReasonOf(unit, sum, property);
    // A crash is never expected, whatever else is.
    const bool whole = WhyCutShort(unit, sum).empty() && sum.divergences == 0;
    if (!whole) row.expected = Expectation::kHolds;
    if (const auto why = WhyUntested(unit, sum, property); whole && !why.empty()) {
      row.expected = Expectation::kEither;
      row.reason = why;
    }
  }
  AddExcuse(unit, property, row);
  return row;
}

std::optional<std::string> SweepNote(const Unit& unit, const UnitResult& sum, Judged property) {
  const std::vector<std::string>& names = unit.scenario->sweep;
  const std::uint64_t first = sum.violations[property].front();
  if (unit.entry->specimen || first == 0 || first >= names.size()) return std::nullopt;
  return fmt::format("{} {} [{}]: {} holds up to {}, and not at {}", unit.scenario->name,
                     unit.entry->subject->name(), ToString(unit.synchrony), Slug(property),
                     names[first - 1], names[first]);
}

std::optional<std::string> LossNote(const Unit& unit, const UnitResult& sum) {
  if (!unit.scenario->tells_losses || unit.entry->specimen || sum.updates == 0) return std::nullopt;
  const std::uint64_t per_mille = sum.lost_updates * 1000 / sum.updates;
  return fmt::format("{} {} [{}]: {} of {} updates lost ({}.{} %)", unit.scenario->name,
                     unit.entry->subject->name(), ToString(unit.synchrony), sum.lost_updates,
                     sum.updates, per_mille / 10, per_mille % 10);
}

namespace {

/// Whether a sound lock held the same property in the same scenario and class, and exercised it.
bool HasSoundControl(const ResultRow& conviction, std::span<const ResultRow> rows) {
  return std::ranges::any_of(rows, [&](const ResultRow& row) {
    return row.kind == LockKind::kSound && row.expected == Expectation::kHolds &&
           row.verdict == Verdict::kHolds && row.exercised > 0 && !row.proof &&
           row.saved_case.empty() && row.scenario == conviction.scenario &&
           row.synchrony == conviction.synchrony && row.property == conviction.property;
  });
}

}  // namespace

void DecideRow(ResultRow& row, std::span<const ResultRow> rows) {
  switch (row.expected) {
    case Expectation::kHolds:
      row.pass = row.verdict == Verdict::kHolds;
      return;
    case Expectation::kEither:
      row.pass = true;
      return;
    case Expectation::kBreaks:
      break;
  }
  row.pass = row.verdict == Verdict::kViolated;
  // The control of a sound lock is the same case in a lower class, or a calmer class of faults.
  if (row.kind == LockKind::kSound) return;
  if (row.pass && !HasSoundControl(row, rows)) {
    row.pass = false;
    row.verdict = Verdict::kInconclusive;
    row.reason = fmt::format(
        "violated, but no sound lock held it in the same scenario and class of this run: check it "
        "beside the sound ones, as in --lock '[!b]*,{}'",
        row.lock);
  }
}

ResultRow RowOf(const Unit& unit) {
  ResultRow row;
  row.lock = unit.entry->subject->name();
  row.kind = unit.entry->specimen ? LockKind::kSpecimen : LockKind::kSound;
  row.scenario = unit.scenario->name;
  row.synchrony = unit.synchrony;
  return row;
}

ResultRow RowOf(const Unit& unit, Judged property) {
  ResultRow row = RowOf(unit);
  row.property = Slug(property);
  row.code = Code(property);
  return row;
}

bool EndsUnserved(const Unit& unit, std::string_view what) {
  return unit.entry->subject->traits().posix && what.starts_with(kEscaped);
}

ResultRow CrashRow(const Unit& unit, const UnitResult& sum) {
  ResultRow row = RowOf(unit, Judged::kCrash);
  row.verdict = Verdict::kViolated;
  row.runs = sum.runs + 1;
  row.exercised = row.runs;
  row.runs_to_first_violation = sum.crash->index + 1;
  row.reason = fmt::format("the lock {}", sum.crash->what);
  if (EndsUnserved(unit, sum.crash->what)) {
    row.verdict = Verdict::kInconclusive;
    row.reason += ", which no simulated process has";
  }
  return row;
}

void DecideRows(std::vector<ResultRow>& rows) {
  for (ResultRow& row : rows) DecideRow(row, rows);
}

}  // namespace interlock::scenarios
