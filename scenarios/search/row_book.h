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

  /// Adds the unit's rows, undecided, its share of the totals, and a Found for each violated row.
  /// The unit and its sum outlive the book.
  void Add(const Unit& unit, const UnitResult& sum);
  /// The same for an exploration, whose rows are already decided.
  void Add(const LockExploration& exploration, const ExplorationSum& sum);
  /// Decides and returns the rows added since the last call. A specimen's controls must have been
  /// added before.
  std::span<const reports::ResultRow> Decide();
  /// Adds goals, notes and whatever is known only of the whole.
  void Close();

 private:
  /// Adds what the last row has found in that many runs.
  void AddFound(Found found, std::uint64_t runs);
  void AddTotals(const Unit& unit, const UnitResult& sum);

  CampaignResult& result_;
  std::vector<std::pair<const Unit*, const UnitResult*>> units_;
  std::size_t decided_ = 0;
};

/// Fills a whole book, undecided.
void FillRows(const std::vector<Unit>& units, const std::vector<UnitResult>& sums,
              CampaignResult& result);

}  // namespace interlock::scenarios
