// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/order_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace interlock::scenarios::drive {
namespace {

/// After so many prefixes that went astray, clients do not repeat themselves.
constexpr std::uint64_t kMostAstray = 20;
/// The share of the search from which the number of all runs is better known than by an estimate.
constexpr double kKnown = 0.05;

}  // namespace

OrderSearch::OrderSearch(Make make, const std::atomic<bool>& stop, bool reduce)
    : make_(std::move(make)), stop_(stop), reduce_(reduce) {
  left_.emplace_back();
}

Result<OrderRun> OrderSearch::Run(OrderWalk& walk) const {
  sim::Choices choices = sim::Choices::FromSource(walk.Source());
  Result<DriveRun> run = make_(walk, choices);
  if (!run.ok()) return run.status();
  return OrderRun{*std::move(run), choices.TakeTape(), walk.pruned()};
}

Result<OrderRun> OrderSearch::Probe(std::uint64_t seed) {
  OrderWalk walk({}, reduce_, habits_);
  walk.Wander(seed);
  Result<OrderRun> made = Run(walk);
  if (!made.ok() || stop_) return made;
  sum_of_probes_ += walk.knuth();
  ++totals_.probes;
  totals_.estimate = sum_of_probes_ / static_cast<double>(totals_.probes);
  return made;
}

Result<std::optional<OrderRun>> OrderSearch::Next() {
  const OrderPrefix prefix = std::move(left_.back());
  left_.pop_back();
  OrderWalk walk(prefix, reduce_, habits_);
  Result<OrderRun> made = Run(walk);
  if (!made.ok()) return made.status();
  if (stop_) {
    left_.push_back(prefix);
    // What a run has violated before it was stopped is a violation all the same.
    if (made->run.findings.empty()) return std::optional<OrderRun>();
    return std::optional<OrderRun>(*std::move(made));
  }
  if (const std::string astray = walk.Astray(); !astray.empty()) {
    totals_.how_astray = astray;
    // A busy machine may have made a client late.
    if (!prefix.again) {
      ++totals_.retried;
      left_.push_back(prefix);
      left_.back().again = true;
      return std::optional<OrderRun>();
    }
    ++totals_.astray;
    return std::optional<OrderRun>();
  }
  std::vector<OrderPrefix> left = walk.TakeLeft();
  std::ranges::move(left, std::back_inserter(left_));
  totals_.share += walk.share();
  ++(made->pruned ? totals_.pruned : totals_.runs);
  if (made->run.held_back && !made->pruned) ++totals_.held_back;
  return std::optional<OrderRun>(*std::move(made));
}

bool OrderSearch::done() const { return left_.empty() || totals_.astray >= kMostAstray; }

std::uint64_t OrderSearch::Expected() const {
  const auto made = static_cast<double>(totals_.runs + totals_.pruned);
  const double all = totals_.share >= kKnown ? made / totals_.share : totals_.estimate;
  constexpr double kMost = 1e18;
  return static_cast<std::uint64_t>(std::llround(std::min(std::max(all, made), kMost)));
}

void OrderSearch::Restore(std::vector<OrderPrefix> left, const OrderTotals& totals) {
  left_ = std::move(left);
  totals_ = totals;
}

}  // namespace interlock::scenarios::drive
