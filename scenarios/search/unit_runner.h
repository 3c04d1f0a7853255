// SPDX-License-Identifier: MIT
//
// Runs of a campaign, one after the other: what one thread needs for that, kept between runs.
//
// Determinism: what a method gives depends on its arguments and the options alone, never on what
// this object has done before. Thread safety: belongs to the thread that made it.
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

  /// Makes the first violating run that this very violation names as small as `budget` runs can; if
  /// what remains is not small, the next ones too, and keeps the smallest: a failure that hangs on
  /// timing often has no way down from where it was found. Once stopped, it only puts the first
  /// violating run into `found`.
  void Shrink(Found& found, int budget);

  /// Puts the first violating run into `found` as it is, with the token of its seed.
  void TakeAsFound(Found& found);

 private:
  std::vector<std::uint64_t> NamedFirst(const Found& found);
  void ShrinkOne(Found& found, std::uint64_t index, int budget);
  /// The run of this index, as it was drawn.
  std::uint64_t Draw(Found& found, std::uint64_t index);
  const Generator& GeneratorFor(const Unit& unit);
  std::uint64_t SeedOf(const Unit& unit, std::uint64_t index) const;

  const CampaignOptions& options_;
  sim::Universe universe_;
  /// By scenario, and what the kind of lock adds to its workloads.
  std::vector<std::pair<std::pair<const Scenario*, Extras>, std::unique_ptr<Generator>>>
      generators_;
};

}  // namespace interlock::scenarios
