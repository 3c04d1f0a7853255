// SPDX-License-Identifier: MIT
//
// What is to be called at an end, latest first: of a thread (__cxa_thread_atexit) or of a process
// (__cxa_atexit). Internal to sim/posix. Thread safety: none.
#pragma once

#include <vector>

namespace interlock::sim::posix {

class ExitCalls {
 public:
  void Add(void (*function)(void*), void* argument) { calls_.push_back({function, argument}); }
  /// Calls them all, and those that they add. YIELDS if they do.
  void Make() {
    while (!calls_.empty()) {
      const Call last = calls_.back();
      calls_.pop_back();
      last.function(last.argument);
    }
  }

 private:
  struct Call {
    void (*function)(void*);
    void* argument;
  };

  std::vector<Call> calls_;
};

}  // namespace interlock::sim::posix
