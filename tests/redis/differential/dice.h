// SPDX-License-Identifier: MIT
//
// RapidCheck's random numbers as the choices that a generator makes.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace interlock::testing {

class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}

  std::uint64_t Below(std::uint64_t bound) { return random_.next() % bound; }
  bool Chance(std::uint64_t percent) { return Below(100) < percent; }
  template <typename T>
  const T& Pick(std::span<const T> choices) {
    return choices[Below(choices.size())];
  }

 private:
  rc::Random random_;
};

}  // namespace interlock::testing
