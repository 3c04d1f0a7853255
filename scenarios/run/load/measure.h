// SPDX-License-Identifier: MIT
//
// From the log of a measurement to its figures.
//
// A request counts if it began after the warm-up and ended before the end, and so does all that
// came of it; what was under way at either end is left out, because its length is not known.
// Waiting and owning are cut at both. Guarantee: a function of the log, which is in order of time.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "reports/contention.h"
#include "scenarios/run/load/log.h"

namespace interlock::scenarios::contend {

struct Frame {
  std::string lock;
  int clients = 0;
  int resources = 1;
  std::int64_t from_ns = 0;  ///< the end of the warm-up
  std::int64_t to_ns = 0;
  bool open = false;
  bool one_owner = true;     ///< a lock; false: several may own it at a time
  bool sees_server = false;  ///< the log has what happened in the server
};

reports::ContentionPoint Measure(const Log& log, const Frame& frame);

}  // namespace interlock::scenarios::contend
