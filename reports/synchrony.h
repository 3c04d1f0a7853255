// SPDX-License-Identifier: MIT
//
// How late things may be in a run (pauses and message delays together), as stated in every table.
// No lease lock excludes critical sections in class arbitrary; a report that hid this would lie.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::reports {

enum class SynchronyClass : std::uint8_t {
  kNone,       ///< at most a hundredth of the lease
  kBounded,    ///< any length, but never past the end of a validity that a client relies on
  kArbitrary,  ///< any length, anywhere
};

/// "none", "bounded", "arbitrary".
std::string_view ToString(SynchronyClass synchrony);

}  // namespace interlock::reports
