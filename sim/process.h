// SPDX-License-Identifier: MIT
//
// One simulated client process. Plain data, owned by the Engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <interlock/connection.h>
#include <interlock/runtime.h>

#include "sim/clock.h"
#include "sim/faults.h"
#include "sim/timer_heap.h"

namespace interlock::sim {

struct Link;

struct Process {
  static constexpr int kNoFault = std::numeric_limits<int>::max();

  Process(int its_id, ClientClock its_clock, int its_database)
      : id(its_id), clock(its_clock), database(its_database) {}

  int id;
  ClientClock clock;
  int database;

  int steps = 0;
  int next_fault_step = kNoFault;  // of faults[next_fault]: the hot path compares one number
  std::vector<Fault> faults;       // by step
  std::size_t next_fault = 0;
  std::vector<Fault> armed;  // message faults that wait for the next message

  bool crashed = false;
  TimerId thaw = kNoTimer;
  Link* last_link = nullptr;  // most recently used
  std::uint64_t random_blocks = 0;

  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Connector> connector;
};

}  // namespace interlock::sim
