// SPDX-License-Identifier: MIT
//
// From counts to verdicts: one row per (lock, scenario, class, property).
//
// A specimen's conviction counts only if a sound lock was expected to hold the same property, did
// hold it and exercised it, in the same scenario and class, in the same campaign: otherwise it
// might be the harness that is wrong.
#pragma once

#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

/// Fills results, goals, totals and trace hash of the report, and a Found for each violated row.
/// Whether a row passes is not decided yet.
void FillRows(const std::vector<Unit>& units, const std::vector<UnitResult>& sums,
              CampaignResult& result);

/// Decides which rows pass, by all rows of the campaign.
void DecideRows(std::vector<reports::ResultRow>& rows);

/// A row that names its lock, scenario and class, and nothing else yet.
reports::ResultRow RowOf(const Unit& unit);

}  // namespace interlock::scenarios
