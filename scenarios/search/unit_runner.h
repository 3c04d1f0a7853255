// SPDX-License-Identifier: MIT
//
// Makes runs of a campaign one after the other, with per-thread state kept between runs.
//
// Determinism: results depend on the arguments and the options alone, never on earlier calls.
// Thread safety: belongs to the thread that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/search/campaign.h"
#include "sim/universe.h"

namespace interlock::scenarios {

/// The token of one of its runs: its seed, or what was drawn.
std::string TokenOf(const Unit& unit, std::variant<std::uint64_t, PackedRun> run);

class UnitRunner {
 public:
  /// The options outlive it.
  explicit UnitRunner(const CampaignOptions& options) : options_(options) {}

  /// The sums of `count` runs; fewer once the options' `stop` is set.
  UnitResult RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count);

  /// Shrinks the shortest violating run that this violation names, within `budget` runs (see
  /// Trial). If the result is not small, tries the next ones within what is left and keeps the
  /// smallest: a timing-dependent failure often cannot be shrunk from where it was found. Once
  /// stopped, only puts the first violating run into `found`.
  void Shrink(Found& found, int budget);

  /// Puts the first violating run into `found` as it is, with the token of its seed.
  void TakeAsFound(Found& found);

 private:
  std::vector<std::uint64_t> BestFirst(const Found& found);
  /// Returns what it has spent of the budget.
  int ShrinkOne(Found& found, std::uint64_t index, int budget);
  /// The run of this index, as drawn.
  std::uint64_t Draw(Found& found, std::uint64_t index);
  const Generator& GeneratorFor(const Unit& unit);
  std::uint64_t SeedOf(const Unit& unit, std::uint64_t index) const;

  const CampaignOptions& options_;
  sim::Universe universe_;
  /// Keyed by scenario and what the kind of lock adds to its workloads.
  std::vector<std::pair<std::pair<const Scenario*, Extras>, std::unique_ptr<Generator>>>
      generators_;
};

}  // namespace interlock::scenarios
