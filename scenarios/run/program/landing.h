// SPDX-License-Identifier: MIT
//
// Lets code of a user that escapes the simulation (see sim/tripwire.h) or aborts end itself in
// place of the whole program: SIGABRT jumps back to where the code was called.
//
// Guarantee: what called it goes on as if it had returned. Non-guarantee: the code's own objects
// are not destroyed, so their memory is lost; what it had locked stays locked. Thread safety: may
// be used by several threads at once, each with its own code.
#pragma once

#include <functional>
#include <string>

namespace interlock::scenarios {

/// During its lifetime SIGABRT is handled; otherwise Land does not catch it. The action before it
/// is restored when the last one ends.
class AbortHandler {
 public:
  AbortHandler();
  ~AbortHandler();
  AbortHandler(const AbortHandler&) = delete;
  AbortHandler& operator=(const AbortHandler&) = delete;
};

/// Calls `code`, which must not wait, as part of the simulation. Returns how it ended it, "called
/// clock_gettime(), ..." or "aborted"; empty: it returned. What it throws is thrown on.
std::string Land(const std::function<void()>& code);

}  // namespace interlock::scenarios
