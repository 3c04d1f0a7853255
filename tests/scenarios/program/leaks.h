// SPDX-License-Identifier: MIT
//
// Clients and invariants that end amid their work leave memory behind, and so do tests of them.
#pragma once

#include "sim/posix/sanitizers.h"

#ifdef INTERLOCK_SIM_WITH_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace interlock::harness {

/// What the calling thread allocates during the object's lifetime is not searched for leaks.
class LeaksExpected {
 public:
#ifdef INTERLOCK_SIM_WITH_ASAN
  LeaksExpected() { __lsan_disable(); }
  ~LeaksExpected() { __lsan_enable(); }
#else
  LeaksExpected() {}
  ~LeaksExpected() {}
#endif
  LeaksExpected(const LeaksExpected&) = delete;
  LeaksExpected& operator=(const LeaksExpected&) = delete;
};

}  // namespace interlock::harness
