// SPDX-License-Identifier: MIT
//
// From counts to verdicts: one row per (lock, scenario, class, property).
//
// A specimen's conviction counts only if a sound lock was expected to hold the same property, did
// hold it and exercised it, in the same scenario and class, in the same campaign: otherwise it
// might be the harness that is wrong.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

/// The row of one property of the unit, undecided.
reports::ResultRow MakeRow(const Unit& unit, const UnitResult& sum, Judged property);

/// The row of a unit's crash, decided.
reports::ResultRow CrashRow(const Unit& unit, const UnitResult& sum);

/// Notes: for a property that a unit broke, up to where in a sweep it held; for a unit, how many
/// updates of what is guarded were lost; and what is not judged of a lock that shows no owners.
std::optional<std::string> SweepNote(const Unit& unit, const UnitResult& sum, Judged property);
std::optional<std::string> LossNote(const Unit& unit, const UnitResult& sum);

/// Decides whether the row passes, by the rows of the campaign that came before it, or by all.
void DecideRow(reports::ResultRow& row, std::span<const reports::ResultRow> rows);
void DecideRows(std::vector<reports::ResultRow>& rows);

/// What theory demands of the unit's lock.
reports::Expectation ExpectationOf(const Unit& unit, Judged property);

/// A row that names its lock, scenario and class, and nothing else yet.
reports::ResultRow RowOf(const Unit& unit);
/// The same with the property that it is about.
reports::ResultRow RowOf(const Unit& unit, Judged property);

}  // namespace interlock::scenarios
