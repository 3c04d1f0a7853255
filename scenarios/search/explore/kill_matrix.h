// SPDX-License-Identifier: MIT
//
// How good is the search? The number of runs each strategy takes to reach each conviction that a
// specimen must get. The figures depend on seed and bounds alone; times are kept apart.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

struct KillMatrixOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;  ///< per cell and seed
  std::uint64_t seeds = 11;   ///< campaigns per cell; at least 6, for an interval
  int jobs = 1;
  std::vector<Entry> entries;  ///< sound ones are skipped
  std::function<void(std::uint64_t done, std::uint64_t planned)> progress;
  const std::atomic<bool>* stop = nullptr;
};

/// One strategy against one expected conviction.
struct KillCell {
  /// Runs to the first kill, one for each seed, ascending; above the bound: not killed.
  std::vector<std::uint64_t> kills;
  std::uint64_t median() const { return kills[kills.size() / 2]; }
};

struct KillRow {
  std::string lock;
  Conviction conviction;
  std::vector<KillCell> cells;  ///< in the order of KillMatrix::strategies
};

/// Cost of a strategy over all cells.
struct StrategyCost {
  std::uint64_t runs = 0;
  std::chrono::nanoseconds time{};  ///< on one core
};

struct KillMatrix {
  std::uint64_t seed = 0;
  std::uint64_t bound = 0;
  std::uint64_t seeds = 0;
  bool complete = true;                             ///< false: stopped
  std::vector<std::optional<Strategy>> strategies;  ///< nullopt, the last one: the portfolio
  std::vector<KillRow> rows;
  std::vector<StrategyCost> costs;  ///< in the order of `strategies`
};

KillMatrix MakeKillMatrix(const KillMatrixOptions& options);

/// Whether the median over the seeds is a kill.
bool Kills(const KillMatrix& matrix, const KillCell& cell);

/// The order statistics (indices from 0), as close together as possible, that enclose the median of
/// any distribution with at least 95 % confidence. REQUIRES: n >= 6.
std::pair<std::size_t, std::size_t> MedianInterval(std::size_t n);

}  // namespace interlock::scenarios
