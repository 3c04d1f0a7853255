// SPDX-License-Identifier: MIT
//
// RunMirror follows a run as it happens, so that a record of it can outlive the process, which the
// code under test may end at any time. It does not affect the run.
//
// Thread safety: called from the run's thread, also inside tasks; must neither wait nor throw.
#pragma once

#include <cstdint>

#include "sim/choices.h"
#include "sim/faults.h"
#include "sim/trace.h"

namespace interlock::sim {

class RunMirror {
 public:
  RunMirror() = default;
  virtual ~RunMirror() = default;
  RunMirror(const RunMirror&) = delete;
  RunMirror& operator=(const RunMirror&) = delete;

  virtual void OnDraw(Lane lane, std::uint32_t value) = 0;
  /// A fault that was injected; those of the plan are known beforehand.
  virtual void OnFault(const Fault& fault) = 0;
  /// A task of this process resumes; -1: it has stopped, and none runs.
  virtual void OnTask(int process) = 0;
  /// An event of a run that keeps its events; annotations come out of order.
  virtual void OnEvent(const TraceEvent& event) = 0;
};

}  // namespace interlock::sim
