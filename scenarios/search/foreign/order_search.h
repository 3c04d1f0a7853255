// SPDX-License-Identifier: MIT
//
// A search of every order of foreign clients' steps within bounds, and of every placing of faults
// within budgets: runs that repeat a prefix of an earlier one's choices and then go on, depth
// first. Nothing is kept of a run but what it leaves to do (stateless search, Godefroid 1997).
//
// Guarantee: once done() without an astray run, all runs were made, except for other orders of
// steps that commute (see order_walk.h). Non-guarantee: that of OrderWalk for clients that do not
// repeat themselves. Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/search/foreign/order_walk.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

struct OrderTotals {
  std::uint64_t runs = 0;       ///< to their end
  std::uint64_t pruned = 0;     ///< cut short, as another order of the same
  std::uint64_t held_back = 0;  ///< runs in which more polls were possible
  double share = 0;             ///< of the whole search that was done: 0 to 1
  double estimate = 0;          ///< of the number of all runs, before the search; 0: none
  std::uint64_t probes = 0;     ///< random runs from which it was estimated
  std::uint64_t retried = 0;    ///< prefixes that went astray once
  std::uint64_t astray = 0;     ///< prefixes that were given up, because they did so again
  std::string how_astray;       ///< one of either

  /// Whether the clients do the same again. A machine that is busy now and then makes one late, but
  /// not in more than one run of a hundred.
  bool Repeat() const { return astray == 0 && 100 * retried <= runs + pruned; }
};

/// A run that was made, with the choices that repeat it.
struct OrderRun {
  DriveRun run;
  sim::Tape tape;
  bool pruned = false;
};

class OrderSearch {
 public:
  /// Makes a run with these choices, which tells the watch of its steps.
  using Make = std::function<Result<DriveRun>(StepWatch& watch, sim::Choices& choices)>;
  /// `stop`: ends a search, whose last run is then still to be made. `reduce`: of steps that
  /// commute, one order.
  OrderSearch(Make make, const std::atomic<bool>& stop, bool reduce);

  /// Makes a random run, for an estimate of the number of all.
  Result<OrderRun> Probe(std::uint64_t seed);
  /// Makes the next run. nullopt: it told nothing, because it was stopped or went astray. REQUIRES:
  /// not done().
  Result<std::optional<OrderRun>> Next();
  /// Whether nothing is left to do, or so many runs went astray that the rest is not worth it.
  bool done() const;

  /// The number of all runs as it looks now; 0: no idea.
  std::uint64_t Expected() const;
  const OrderTotals& totals() const { return totals_; }
  const std::vector<OrderPrefix>& left() const { return left_; }
  /// Goes on from there. REQUIRES: they are from such a search.
  void Restore(std::vector<OrderPrefix> left, const OrderTotals& totals);

 private:
  Result<OrderRun> Run(OrderWalk& walk) const;

  const Make make_;
  const std::atomic<bool>& stop_;
  const bool reduce_;
  Habits habits_;
  std::vector<OrderPrefix> left_;  // last in, first out
  OrderTotals totals_;
  double sum_of_probes_ = 0;
};

}  // namespace interlock::scenarios::drive
