// SPDX-License-Identifier: MIT
//
// Monitors machine and server during a run, so that a lock is not blamed for them. Reads the
// server's clock periodically, which shows how long it takes to answer, whether its clock was set,
// and, if the connection ends, that it may have restarted. Thread safety: none.
#pragma once

#include <optional>
#include <string>

#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

#include "sim/machine/admin.h"

namespace interlock::sim::machine {

class Heartbeat {
 public:
  /// `runtime` outlives it.
  Heartbeat(Runtime& runtime, Admin admin);

  /// Called every few dozen milliseconds; waits for the server's answer.
  void Beat();
  /// The same while the server is kept away: a wait that should have been short took `took`.
  void Waited(Duration took);
  /// Continues with the present server.
  void Resume(Admin admin);

  const std::string& broken() const { return broken_; }
  const std::string& disturbed() const { return disturbed_; }

 private:
  void Note(Duration stood_still);
  void CompareClocks(const Reply& time, MonotonicTime sent, MonotonicTime received);

  Runtime& runtime_;
  Admin admin_;
  MonotonicTime last_;
  std::optional<Duration> ahead_;  ///< the server's clock minus ours, at the first reading
  Duration uncertain_{};           ///< the uncertainty of that reading
  std::string broken_;
  std::string disturbed_;
};

}  // namespace interlock::sim::machine
