// SPDX-License-Identifier: MIT
//
// Random numbers for drawing cases: a pure function of the seed and of how many were drawn before.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/choices.h"

namespace interlock::scenarios {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}

  /// In [0, bound). The bias of so small bounds is below 2^-32.
  int Below(int bound) {
    const std::uint64_t word = sim::MixSeed(seed_, ++count_) >> 32;
    return static_cast<int>(word * static_cast<std::uint64_t>(bound) >> 32);
  }
  bool OneIn(int count) { return Below(count) == 0; }

 private:
  const std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

template <typename List>
auto& AnyOf(Dice& dice, List& list) {
  return list[static_cast<std::size_t>(dice.Below(static_cast<int>(list.size())))];
}

}  // namespace interlock::scenarios
