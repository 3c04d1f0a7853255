// SPDX-License-Identifier: MIT
#include "sim/redis/context.h"

#include "sim/redis/admission.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

Keyspace& Context::keyspace() const { return engine.keyspace; }
const Dialect& Context::dialect() const { return engine.dialect(); }

bool Context::journalled() const { return engine.journal.active(); }

void Context::Notify(NotifyClass type, std::string_view event, std::string_view key) const {
  engine.events.Publish(type, event, client.database, key);
}

void Context::Propagate(Arguments effect) {
  propagation = Propagation::kDone;
  engine.journal.Add(client.database, effect);
}

void Context::Delete(std::string_view key) {
  Remove(key);
  Touch(key);
  Notify(kNotifyGeneric, "del", key);
  Propagate({"DEL", key});
}

// Valkey counts it as an expiry.
void Context::DeleteAsOver(std::string_view key) {
  if (!engine.dialect().valkey) return Delete(key);
  Remove(key);
  Touch(key);
  Notify(kNotifyExpired, "expired", key);
  ++engine.statistics.expired_keys;
  Propagate({dialect().removal, key});
}

bool Context::ParseInt(std::string_view text, std::int64_t* out, std::string_view error) {
  if (ParseInteger(text, out)) return true;
  Error(error);
  return false;
}

void Context::Unmodelled(std::string_view what) {
  engine.SetUnmodelled(what);
  silent = true;
}

void Context::ArityError() { Error(ArityText(command)); }

}  // namespace interlock::sim::redis
