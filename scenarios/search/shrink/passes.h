// SPDX-License-Identifier: MIT
//
// Passes that all shrinkers share: calmer tapes, fewer of any parts, simpler lengths and earlier
// faults of a workload.
// The caller tries each proposal and, if that still fails in the same way, makes it the present
// case.
//
// Thread safety: that of the functions given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "scenarios/cases/workload.h"
#include "scenarios/search/shrink/parts.h"
#include "sim/choices.h"

namespace interlock::scenarios {

/// Number of scheduling choices other than "continue".
std::size_t SwitchesIn(const sim::Tape& tape);

class TapePasses {
 public:
  /// `tape` is the present case's, and changes when `try_tape` succeeds; `ended`: nothing more is
  /// to be tried. All outlive the passes.
  TapePasses(const sim::Tape& tape, std::function<bool(const sim::Tape&)> try_tape,
             std::function<bool()> ended)
      : tape_(tape), try_(std::move(try_tape)), ended_(std::move(ended)) {}

  /// Cuts the tape where no later choice matters, at the latest after the failing step.
  void Cut();
  /// Zeroes each lane in halving pieces, then lowers each choice that is left. Returns whether
  /// anything succeeded.
  bool Calm();
  /// Replaces a schedule of several switches by a single switch elsewhere, if that does as well.
  bool FewerSwitches();

 private:
  bool Try(const sim::Tape& calmer) { return calmer != tape_ && try_(calmer); }
  bool CalmPiece(std::size_t lane, std::size_t from, std::size_t piece);

  const sim::Tape& tape_;
  const std::function<bool(const sim::Tape&)> try_;
  const std::function<bool()> ended_;
};

/// Deletes in batches that grow while they succeed and halve when they fail. `count` gives the
/// number that is left; `try_without(first, count)` tries the case without these.
template <typename Count, typename TryWithout, typename Ended>
bool DeleteInBatches(const Count& count, const TryWithout& try_without, const Ended& ended) {
  bool smaller = false;
  std::size_t batch = std::max<std::size_t>(count() / 4, 1);
  for (std::size_t at = 0; at < count() && !ended();) {
    const std::size_t size = std::min(batch, count() - at);
    if (try_without(at, size)) {
      smaller = true;
      ++batch;
    } else if (size == 1) {
      ++at;
    } else {
      batch = size / 2;
    }
  }
  return smaller;
}

/// Sets the length to the first of its canonical values that does as well; they end where it
/// stands. `now`, the present case's, changes when `try_one` succeeds.
bool SimplerLength(const Knob& knob, const Workload& now,
                   const std::function<bool(const Workload&)>& try_one,
                   const std::function<bool()>& ended);
/// Moves the fault to the first step at which it does its harm. `now`: as above.
bool EarlierFault(Place place, const Workload& now,
                  const std::function<bool(const Workload&)>& try_one,
                  const std::function<bool()>& ended);

}  // namespace interlock::scenarios
