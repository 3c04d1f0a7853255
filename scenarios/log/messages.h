// SPDX-License-Identifier: MIT
//
// Groups a run's events by command: sent, executed, answered, received.
//
// Thread safety: pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/run_report.h"
#include "sim/trace.h"

namespace interlock::scenarios {

struct MessageEnd {
  reports::MessagePart part = reports::MessagePart::kNone;
  std::uint64_t message = 0;  ///< from 1
  bool lost = false;          ///< the run lacks the other end
};

/// One for each event, in order.
std::vector<MessageEnd> MessagesOf(const std::vector<sim::TraceEvent>& events);

}  // namespace interlock::scenarios
