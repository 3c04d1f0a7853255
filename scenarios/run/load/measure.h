// SPDX-License-Identifier: MIT
//
// Computes a measurement's figures from its log.
//
// A request counts, with everything resulting from it, if it began after the warm-up and ended
// before the end; requests in flight at either end are left out, because their length is not known.
// Waiting and owning are clipped at both. Guarantee: a function of the log, which is in order of
// time. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "reports/contention.h"
#include "scenarios/log/event.h"

namespace interlock::scenarios::contend {

struct Frame {
  std::string lock;
  int clients = 0;
  int resources = 1;
  std::int64_t from_ns = 0;  ///< the end of the warm-up
  std::int64_t to_ns = 0;
  bool open = false;
  bool one_owner = true;     ///< a lock; false: several may own it at a time
  bool sees_server = false;  ///< the log includes events in the server
};

reports::ContentionPoint Measure(const EventLog& log, const Frame& frame);

}  // namespace interlock::scenarios::contend
