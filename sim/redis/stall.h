// SPDX-License-Identifier: MIT
//
// A time in which the server does nothing (DEBUG SLEEP), or a script blocks it: replies and
// commands wait. Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/reply.h"

namespace interlock::sim::redis {

class Engine;

class Stall {
 public:
  explicit Stall(Engine& engine) : engine_(engine) {}

  void Begin(std::int64_t us);
  bool active() const;
  /// Since the process started; before, NextUs is nullopt.
  bool has_begun() const { return until_us_ != 0; }
  /// Keeps what would have been sent, or executed, meanwhile.
  void Keep(ClientId id, Value value) { output_.emplace_back(id, std::move(value)); }
  void Keep(ClientId id, const Argv& argv) { input_.emplace_back(id, argv); }

  /// REQUIRES: it is over.
  void SendOutput();
  /// Executes what has waited, until a new stall begins.
  void ExecuteInput();
  /// When it ends, if it has not or something still waits.
  std::optional<std::int64_t> NextUs() const;
  /// The process has ended.
  void Reset();

 private:
  Engine& engine_;
  std::int64_t until_us_ = 0;
  std::vector<std::pair<ClientId, Value>> output_;
  std::deque<std::pair<ClientId, Argv>> input_;
};

}  // namespace interlock::sim::redis
