// SPDX-License-Identifier: MIT
//
// How faults of client processes, their links and their clocks strike and end. Thread safety: none.
#pragma once

#include <interlock/time.h>

#include "sim/faults.h"
#include "sim/process.h"

namespace interlock::sim {

class Engine;

class ClientFaults {
 public:
  explicit ClientFaults(Engine& engine) : engine_(engine) {}

  void StrikeProcess(Process& process, const Fault& fault);
  void StrikeLink(Process& process, const Fault& fault);
  void StrikeClock(Process& process, const Fault& fault);

  /// A crash with a restart is over.
  void Restart(Process& process);
  /// A pause is over, if there is one.
  void Thaw(Process& process);
  /// Ends all faults of the process, and drops pending ones.
  void Heal(Process& process);
  /// Whether no process is about to restart.
  bool Quiet() const { return restarts_to_come_ == 0; }

 private:
  void Crash(Process& process, const Fault& fault);
  void Pause(Process& process, const Fault& fault, Duration length);
  void PauseUntilExpiry(Process& process, const Fault& fault);
  void Divide(Process& process, const Fault& fault, Partition partition);
  /// Ends the waits of the process that are over by its changed clock.
  void ClockChanged(Process& process);

  Engine& engine_;
  int restarts_to_come_ = 0;
};

}  // namespace interlock::sim
