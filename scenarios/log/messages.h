// SPDX-License-Identifier: MIT
//
// Which events of a run belong to one command: sent, executed, answered, received.
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
  bool lost = false;          ///< the run does not have the other end
};

/// One for each event, in their order.
std::vector<MessageEnd> MessagesOf(const std::vector<sim::TraceEvent>& events);

}  // namespace interlock::scenarios
