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

void ScriptTurn::End() {
  engine_.keyspace.Thaw();
  running_ = false;
  busy_ = false;
}

bool ScriptTurn::OnLongScript() {
  if (!handler_) return false;
  // The handler may move the clock; as in Redis, only the next call then serves clients.
  busy_ = engine_.now_ms() - start_ms_ >= engine_.config().busy_reply_threshold;
  handler_();
  return true;
}

}  // namespace interlock::sim::redis
