// SPDX-License-Identifier: MIT
//
// A script has its turn: until its end other clients' commands wait, or, once it is busy
// (busy-reply-threshold), get BUSY. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "sim/redis/client.h"

namespace interlock::sim::redis {

class Engine;

class ScriptTurn {
 public:
  explicit ScriptTurn(Engine& engine) : engine_(engine) {}

  void Begin(const Client& client);
  void End();
  bool running() const { return running_; }
  /// It has run for long enough that other clients are told.
  bool busy() const { return busy_; }
  /// It runs, and this client's command has to wait for its end.
  bool InTheWayOf(ClientId id) const { return running_ && (!busy_ || id == client_); }

  /// Called now and then from inside a script. False: nothing watches for long scripts.
  bool OnLongScript();
  /// Null: nobody does.
  void SetHandler(std::function<void()> handler) { handler_ = std::move(handler); }

 private:
  Engine& engine_;
  std::function<void()> handler_;
  bool running_ = false;
  bool busy_ = false;
  ClientId client_ = 0;
  std::int64_t start_ms_ = 0;
};

}  // namespace interlock::sim::redis
