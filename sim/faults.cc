// SPDX-License-Identifier: MIT
#include "sim/faults.h"

namespace interlock::sim {

std::string_view ToString(FaultKind kind) {
  switch (kind) {
    case FaultKind::kCrash:
      return "crash";
    case FaultKind::kPause:
      return "pause";
    case FaultKind::kExpiry:
      return "expiry";
    case FaultKind::kDelayRequest:
      return "delay-request";
    case FaultKind::kDelayReply:
      return "delay-reply";
    case FaultKind::kLostRequest:
      return "lost-request";
    case FaultKind::kLostReply:
      return "lost-reply";
    case FaultKind::kResetBefore:
      return "reset-before";
    case FaultKind::kResetAfter:
      return "reset-after";
    case FaultKind::kHalfOpen:
      return "half-open";
  }
  return "?";
}

}  // namespace interlock::sim
