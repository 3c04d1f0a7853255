// SPDX-License-Identifier: MIT
//
// Whether a process stands still, seen by looking again and again: twice in a row, some time apart,
// no thread of it runs, and none has run in between. One look is enough of a process that has told
// what it wants. Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <interlock/time.h>

#include "scenarios/drive/foreign_process.h"

namespace interlock::scenarios::drive {

class Stillness {
 public:
  /// `waits`: it has a command at the gate. `nappers`: threads that are not looked at.
  bool Look(const ForeignProcess& process, bool waits, const std::vector<int>& nappers,
            Duration apart) {
    const auto now = std::chrono::steady_clock::now();
    const std::optional<std::uint64_t> switches = process.Switches(nappers);
    if (!switches) {
      seen_.reset();
      return false;
    }
    if (waits || process.stopped()) return true;
    if (seen_ != switches) {
      seen_ = switches;
      since_ = now;
      return false;
    }
    return now - since_ >= apart;
  }

  /// It has been given something to do, which it may not have begun yet.
  void Forget() { seen_.reset(); }

 private:
  std::optional<std::uint64_t> seen_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace interlock::scenarios::drive
