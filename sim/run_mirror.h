// SPDX-License-Identifier: MIT
//
// RunMirror is told of a run while it goes on, so that what is known of it can outlive the process
// that runs it: the code under test may end that process at any time. Changes nothing of the run.
//
// Thread safety: called from the run's thread, from inside tasks too: must neither wait nor throw.
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
  /// A task of this process goes on; -1: it has stopped, and none does.
  virtual void OnTask(int process) = 0;
  /// An event of a run that keeps its events; annotations come out of order.
  virtual void OnEvent(const TraceEvent& event) = 0;
};

}  // namespace interlock::sim
