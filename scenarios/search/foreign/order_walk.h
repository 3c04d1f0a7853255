// SPDX-License-Identifier: MIT
//
// One run of a search of all orders of foreign clients' steps: it repeats the choices of a prefix,
// takes one of those that are left there, and from then on the first one at each place. The others
// are left for later runs, as prefixes. Of two orders of steps that commute one is taken (sleep
// sets, see search/explore/sleep_set.h; run/foreign/ordered_steps.h says what commutes).
//
// Guarantee: if equal choices lead to equal steps, the runs of all prefixes that begin with an
// empty one are all runs, except for such orders. If not, a prefix is found to be astray where the
// steps differ in their clients, commands' names and numbers of words; other differences, such as
// tokens, are not looked for. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/run/foreign/ordered_steps.h"
#include "scenarios/search/explore/sleep_set.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

/// What is left at a place with several steps.
struct OrderPrefix {
  std::vector<std::uint32_t> path;  ///< the choices that lead there
  std::vector<std::uint32_t> rest;  ///< the steps left there; empty only for the root
  SleepSet asleep;                  ///< in the state in which they are chosen
  double share = 1;                 ///< of the whole search, for each of them
  std::vector<std::uint64_t> seen;  ///< at each place of the path, and there: hash of all steps
  std::string ready;                ///< there, as text
  bool again = false;               ///< it has gone astray once
};

/// What commands have touched, by client and text: a guess at what they will touch.
using Habits = std::map<std::pair<int, std::string>, sim::redis::Footprint>;

class OrderWalk final : public StepWatch {
 public:
  /// `reduce`: only one order of what commutes. `habits`: learns, and outlives the walk.
  OrderWalk(OrderPrefix prefix, bool reduce, Habits& habits);
  /// Beyond the prefix, chooses at random and leaves nothing.
  void Wander(std::uint64_t seed);
  /// Makes the run's choices. It must not outlive the walk.
  std::unique_ptr<sim::ChoiceSource> Source();

  void OnTaken(sim::redis::Footprint touched) override;
  bool OnSteps(std::span<const PossibleStep> steps, Duration now) override;

  const OrderPrefix& prefix() const { return prefix_; }
  /// What is left, the last place last. REQUIRES: the run has ended, and is not astray.
  std::vector<OrderPrefix> TakeLeft();
  /// The share of the whole search that this run was.
  double share() const { return share_; }
  /// The number of runs of the whole search, as this wandering one saw it (Knuth 1975).
  double knuth() const { return knuth_; }
  /// The run was cut short, because another one has taken the same steps in another order.
  bool pruned() const { return pruned_; }
  /// How it differed from the run that has left the prefix; empty: it did not. REQUIRES: the run
  /// has ended.
  std::string Astray() const;

 private:
  class Chooser;

  bool InPrefix(std::span<const PossibleStep> steps, std::uint64_t seen);
  bool Beyond(std::span<const PossibleStep> steps);
  void Branch(std::span<const PossibleStep> steps, std::vector<std::uint32_t> awake, double share);
  void LeaveBehind(std::span<const PossibleStep> steps, const std::vector<std::uint32_t>& awake,
                   std::size_t taken);
  bool GoAstray(std::span<const PossibleStep> steps, std::string_view expected);
  void Choose(std::span<const PossibleStep> steps, std::uint32_t index);

  const OrderPrefix prefix_;
  const bool reduce_;
  Habits& habits_;
  std::uint64_t wander_ = 0;  // 0: it does not wander
  std::vector<std::uint32_t> path_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t hash_ = 0;  // of all steps so far
  SleepSet asleep_;
  double share_ = 1;
  double knuth_ = 1;
  bool beyond_;
  bool pruned_ = false;
  std::string astray_;
  std::uint32_t chosen_ = 0;
  std::vector<OrderPrefix> left_;
  /// The step that was taken last, if it can be asleep.
  struct Taken {
    sim::ReadyTask task;
    std::string text;
    std::optional<std::size_t> branch;  // in left_, where it has siblings
  };
  std::optional<Taken> taken_;
};

/// "C1 SET lock:stock, C2 GET lock:stock with a crash, time"
std::string ToText(std::span<const PossibleStep> steps);

}  // namespace interlock::scenarios::drive
