// SPDX-License-Identifier: MIT
//
// Calls that find nothing and do not wait. On a real machine each takes some time, so a loop over
// them ends; here virtual time passes only while tasks wait, so a process that makes many of them
// in a row is made to wait a little, and longer the more it makes. Such a wait is no step: a loop
// would have as many as all else, and faults would strike there and hardly anywhere else.
// Internal to sim/posix. Thread safety: none.
#pragma once

#include "sim/engine.h"

namespace interlock::sim::posix {

class Pace {
 public:
  Pace(Engine& engine, Process& process) : engine_(engine), process_(process) {}
  /// Counts a call of the running task. YIELDS if the process has made many since time passed, or
  /// if the call itself does.
  void Count(bool yields = false);

 private:
  Engine& engine_;
  Process& process_;
  int idle_calls_ = 0;         ///< since virtual time passed, but for that of idle calls
  VirtualTime last_call_{-1};  ///< when it ended
};

}  // namespace interlock::sim::posix
