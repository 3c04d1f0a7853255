// SPDX-License-Identifier: MIT
//
// Records what a lock tells its user about whether a hold is still valid: answers to that question,
// losses reported while the user works, and calls.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <cstddef>
#include <functional>

#include <interlock/harness/lock.h>

#include "scenarios/run/recorder/hold_log.h"
#include "scenarios/run/recorder/run_log.h"

namespace interlock::scenarios {

class ValidityLog {
 public:
  /// Both outlive it. `holds` is told of validities that the lock has moved by itself.
  ValidityLog(RunLog& log, HoldLog& holds) : log_(log), holds_(holds) {}

  // See ProgramEvents.
  void OnAskValid(Party who);
  void OnAskedValid(Party who, const ValidDetails& told);
  void OnLost(Party who);
  void OnAwaitedLoss(Party who, bool told);
  void OnAwaitedCall(Party who, bool called);
  /// The function returned refers to this object.
  std::function<void()> LossCallOf(Party who);

 private:
  void NoteLossCall(Party who, std::size_t index);
  bool MayBeLost(Party who, VirtualTime now);
  /// When the validity ends that the user has just been told of. A change of the client's clock may
  /// have moved an end that has passed: then the answer surely spoke of no more than the instant of
  /// the question.
  VirtualTime ClaimedEnd(Party who);
  /// The user has not been told of a loss by now.
  void NoteUntold(Party who);

  RunLog& log_;
  HoldLog& holds_;
};

}  // namespace interlock::scenarios
