// SPDX-License-Identifier: MIT
//
// How late things may be in a scenario (pauses and message delays together). No lease lock excludes
// critical sections in class arbitrary; a report that hides this would lie.
#pragma once

#include <cstdint>
#include <string_view>

#include <interlock/time.h>

namespace interlock::scenarios {

enum class SynchronyClass : std::uint8_t {
  kNone,       ///< at most a hundredth of the lease
  kBounded,    ///< any length, but never past the end of a validity that a client relies on
  kArbitrary,  ///< any length, anywhere
};

/// The furthest that a clock's rate, in ppm, may be from true time in any class, unless a scenario
/// frees its clocks. A lock that relies on 99 % of its lease has room for that at both ends.
inline constexpr Duration kMostDrift{2'500};

/// "none", "bounded", "arbitrary".
std::string_view ToString(SynchronyClass synchrony);

}  // namespace interlock::scenarios
