// SPDX-License-Identifier: MIT
//
// A running script or function: until it ends other clients' commands wait or, once it is busy
// (busy-reply-threshold), get BUSY. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sim/redis/client.h"

namespace interlock::sim::redis {

class Engine;

class ScriptTurn {
 public:
  explicit ScriptTurn(Engine& engine) : engine_(engine) {}

  void Begin(const Client& client);
  /// What runs is this function, called by this command.
  void SetFunction(std::string_view name, std::span<const std::string_view> command);
  void End();
  bool running() const { return running_; }
  /// Whether it has run long enough for other clients to be told.
  bool busy() const { return busy_; }
  /// Whose script runs, or ran last.
  ClientId client() const { return client_; }
  /// Whether this client's command must wait for the end of the script.
  bool InTheWayOf(ClientId id) const { return running_ && (!busy_ || id == client_); }

  /// What other clients are told then.
  std::string_view busy_text() const;
  /// A running function, as FUNCTION STATS shows it.
  struct Function {
    std::string name;
    Argv command;
  };
  /// Null: none runs, perhaps a script does.
  const Function* function() const { return function_ ? &*function_ : nullptr; }
  /// For how long it has run.
  std::int64_t duration_ms() const;

  /// Called now and then from inside a script. False: nothing watches for long scripts.
  bool OnLongScript();
  /// Null: no handler.
  void SetHandler(std::function<void()> handler) { handler_ = std::move(handler); }

 private:
  Engine& engine_;
  std::function<void()> handler_;
  bool running_ = false;
  bool busy_ = false;
  ClientId client_ = 0;
  std::int64_t start_ms_ = 0;
  std::optional<Function> function_;
};

}  // namespace interlock::sim::redis
