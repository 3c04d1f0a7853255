// SPDX-License-Identifier: MIT
#include "sim/redis/script_turn.h"

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void ScriptTurn::Begin(const Client& client) {
  running_ = true;
  client_ = client.id;
  start_ms_ = engine_.now_ms();
  engine_.keyspace.Freeze();
}

void ScriptTurn::SetFunction(std::string_view name, std::span<const std::string_view> command) {
  function_ = Function{std::string(name), Argv(command.begin(), command.end())};
}

std::string_view ScriptTurn::busy_text() const {
  if (engine_.dialect().valkey) {
    return function_ ? "BUSY Valkey is busy running a script. You can only call FUNCTION KILL or "
                       "SHUTDOWN NOSAVE."
                     : "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or "
                       "SHUTDOWN NOSAVE.";
  }
  return function_ ? "BUSY Redis is busy running a script. You can only call FUNCTION KILL or "
                     "SHUTDOWN NOSAVE."
                   : "BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
                     "SHUTDOWN NOSAVE.";
}

std::int64_t ScriptTurn::duration_ms() const { return engine_.now_ms() - start_ms_; }

void ScriptTurn::End() {
  engine_.keyspace.Thaw();
  running_ = false;
  busy_ = false;
  function_.reset();
}

bool ScriptTurn::OnLongScript() {
  if (!handler_) return false;
  // The handler may move the clock; as in Redis, only the next call then serves clients.
  busy_ = engine_.now_ms() - start_ms_ >= engine_.config().busy_reply_threshold;
  handler_();
  return true;
}

}  // namespace interlock::sim::redis
