// SPDX-License-Identifier: MIT
//
// The rows, goals, notes and totals of a campaign, added unit by unit. Thread safety: none.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

/// Sound locks come before specimens.
class RowBook {
 public:
  /// `result` outlives it.
  explicit RowBook(CampaignResult& result) : result_(result) {}

  /// Adds the unit's rows, undecided, its part of the totals, and a Found for each violated row.
  /// The unit and its sum outlive the book.
  void Add(const Unit& unit, const UnitResult& sum);
  /// The same for an exploration, whose rows are decided.
  void Add(const LockExploration& exploration, const ExplorationSum& sum);
  /// Decides the rows that have come since the last call, and returns them. Controls of a specimen
  /// must have been added before it.
  std::span<const reports::ResultRow> Decide();
  /// Goals, notes and what is only known of the whole.
  void Close();

 private:
  void AddCrash(const Unit& unit, const UnitResult& sum);
  void AddTotals(const Unit& unit, const UnitResult& sum);

  CampaignResult& result_;
  std::vector<std::pair<const Unit*, const UnitResult*>> units_;
  std::size_t decided_ = 0;
};

/// A whole book, undecided.
void FillRows(const std::vector<Unit>& units, const std::vector<UnitResult>& sums,
              CampaignResult& result);

}  // namespace interlock::scenarios
