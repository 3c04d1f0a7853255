// SPDX-License-Identifier: MIT
//
// How a campaign searches. No strategy is best for every bug, so the default is a portfolio that
// varies from run to run.
//
// A run's strategy is part of its seed (the highest four bits), so the seed is enough to repeat the
// run, and the same index has the same strategy for every lock. All draws are recorded as for any
// source, so a run that was found replays and shrinks from its tape alone. Thread safety: pure
// functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/choices.h"

namespace interlock::scenarios {

/// The numbers are part of run seeds: never change them.
enum class Strategy : std::uint8_t {
  kRandom = 0,  ///< every choice by a seeded generator
  kSticky = 1,  ///< random, but seldom leaves the running client
  kPct2 = 2,    ///< priorities, changed once (Burckhardt et al. 2010; the bug's depth is 2)
  kPct3 = 3,
  kPct5 = 4,
  kPos = 5,    ///< a random priority for each pending event (Yuan, Yang, Gu 2018)
  kDelay = 6,  ///< calm except for a few delays (Emmi, Qadeer, Rakamaric 2011)
};
inline constexpr std::array kAllStrategies = {Strategy::kRandom, Strategy::kSticky, Strategy::kPct2,
                                              Strategy::kPct3,   Strategy::kPct5,   Strategy::kPos,
                                              Strategy::kDelay};

/// "random", "sticky", "pct2", "pct3", "pct5", "pos", "delay"
std::string_view ToString(Strategy strategy);
std::optional<Strategy> FindStrategy(std::string_view name);
/// All names: "random, sticky, pct2, ..."
std::string StrategyNames();

/// Derives a run seed from any seed, with strategy `only` or one drawn from the portfolio.
std::uint64_t SeedWithStrategy(std::uint64_t seed, std::optional<Strategy> only);

/// Total: bits that name no strategy mean kRandom.
Strategy StrategyOf(std::uint64_t run_seed);

/// The choices of a generated run, by its strategy.
sim::Choices ChoicesOfRun(std::uint64_t run_seed);

}  // namespace interlock::scenarios
