// SPDX-License-Identifier: MIT
//
// The numbers by which commands choose at random, and evictions. Thread safety: none.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;

class Dice {
 public:
  explicit Dice(Engine& engine) : engine_(engine) {}

  /// Null: a sequence of its own, the same after every start of the process.
  void SetSource(Server::Random source) { source_ = std::move(source); }
  void Reset() { state_ = 0; }
  /// A number below the bound. REQUIRES: bound >= 1.
  std::uint64_t Choose(std::uint64_t bound);

 private:
  Engine& engine_;
  Server::Random source_;
  std::uint64_t state_ = 0;
};

}  // namespace interlock::sim::redis
