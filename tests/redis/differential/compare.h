// SPDX-License-Identifier: MIT
//
// When two replies agree: they are equal, but for what no two servers share (client ids, the clock,
// the order of a hash table).
#pragma once

#include <cstdint>
#include <span>

#include "sim/redis/server.h"

namespace interlock::testing {

/// What the replies to a command cannot be compared in.
struct Tolerance {
  bool order = false;    ///< elements in any order
  bool content = false;  ///< anything but the types
  void Add(const Tolerance& other);
};

/// For a command with all its words, so that a script or a queued command counts as well.
Tolerance ToleranceFor(const sim::redis::Argv& argv);

/// What the two servers do not share.
struct Surroundings {
  std::span<const std::int64_t> real_ids;  ///< client ids, by connection
  std::span<const std::int64_t> fake_ids;
  std::int64_t now_ms = 0;  ///< both were asked within seconds of it
};

bool Agree(sim::redis::Value real, sim::redis::Value fake, const Tolerance& tolerance,
           const Surroundings& surroundings);

}  // namespace interlock::testing
