// SPDX-License-Identifier: MIT
//
// From counts to verdicts: one row per (lock, scenario, class, property).
//
// A specimen's conviction counts only if a sound lock was expected to hold the same property, held
// it and exercised it in the same scenario, class and campaign: otherwise the harness may be at
// fault.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

/// The unit's row for one property, undecided.
reports::ResultRow MakeRow(const Unit& unit, const UnitResult& sum, Judged property);

/// The row of a unit's crash, decided.
reports::ResultRow CrashRow(const Unit& unit, const UnitResult& sum);
/// Whether the run ended because code as it is compiled called what is not served: nothing is known
/// of the lock then.
/// `what`: as LockCrash::what.
bool EndsUnserved(const Unit& unit, std::string_view what);

/// Notes: up to where in a sweep the unit held a property that it broke; how many updates of the
/// guarded resource it lost; and what is not judged of a lock that shows no owners.
std::optional<std::string> SweepNote(const Unit& unit, const UnitResult& sum, Judged property);
std::optional<std::string> LossNote(const Unit& unit, const UnitResult& sum);

/// Decides whether the row passes, given the campaign's earlier rows, or all rows.
void DecideRow(reports::ResultRow& row, std::span<const reports::ResultRow> rows);
void DecideRows(std::vector<reports::ResultRow>& rows);

/// The properties of which this lock is to be convicted here, if it is a specimen.
std::vector<Judged> ConvictionsIn(const Unit& unit);

/// What theory demands of the unit's lock.
reports::Expectation ExpectationOf(const Unit& unit, Judged property);

/// A row with only its lock, scenario and class filled in.
reports::ResultRow RowOf(const Unit& unit);
/// The same with its property.
reports::ResultRow RowOf(const Unit& unit, Judged property);

}  // namespace interlock::scenarios
