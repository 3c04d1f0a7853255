// SPDX-License-Identifier: MIT
//
// One simulated client process. Plain data, owned by the Engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <interlock/connection.h>
#include <interlock/runtime.h>

#include "sim/clock.h"
#include "sim/faults.h"
#include "sim/fingerprint.h"
#include "sim/pooled.h"
#include "sim/timer_queue.h"

namespace interlock::sim {

struct Link;

namespace posix {
class Library;
}

/// A partition: while it lasts, nothing arrives in the blocked directions.
struct Partition {
  int node = 0;
  bool to_server = false;
  bool from_server = false;
  VirtualTime until{};
};

struct Process final : Pooled {
  static constexpr int kNoFault = std::numeric_limits<int>::max();

  Process(int its_id, ClientClock its_clock, int its_database, const RandomNames& names)
      : id(its_id),
        clock(its_clock),
        rate_ppm(its_clock.rate_ppm()),
        database(its_database),
        random_source(its_id),
        observed(names, its_id),
        undescribed(names, its_id) {}

  void DrawFromTheBeginningOf(int source) {
    random_source = source;
    random_blocks = 0;
  }

  int id;
  ClientClock clock;
  std::int64_t rate_ppm;  // of its clock, without faults
  int database;

  int steps = 0;
  int next_fault_step = kNoFault;  // that of faults[next_fault]: the hot path compares one number
  std::vector<Fault> faults;       // by step
  std::size_t next_fault = 0;
  std::vector<Fault> armed;        // message faults waiting for the next message
  std::vector<Fault> lost_pushes;  // those waiting for the next push
  std::vector<Partition> partitions;

  std::function<void()> main;  // for its next incarnation
  bool crashed = false;
  bool exited = false;         // with what threads it had; see posix/library.h
  TimerId restart = kNoTimer;  // when its next incarnation begins
  bool same_identity = false;  // of its next incarnation
  TimerId thaw = kNoTimer;
  VirtualTime frozen_until{};  // the end of the last pause
  Link* last_link = nullptr;   // most recently used
  std::uint64_t commands_sent = 0;
  int random_source;  // the process whose random bytes it gets
  std::uint64_t random_blocks = 0;
  unsigned char random_twist = 0;  // flips bits in the last byte of anything that may be a token

  FingerprintWriter observed;     // all inputs so far, if the world is watched
  FingerprintWriter undescribed;  // see NoteUndescribed

  std::shared_ptr<posix::Library> library;  // null: its tasks may not call the C library
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Connector> connector;                     // to the master
  std::vector<std::unique_ptr<Connector>> node_connectors;  // created on demand
};

}  // namespace interlock::sim
