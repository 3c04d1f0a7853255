// SPDX-License-Identifier: MIT
#include "sim/redis/keyspace_events.h"

#include <string>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void KeyspaceEvents::Publish(NotifyClass type, std::string_view event, int database,
                             std::string_view key) {
  const int asked_for = engine_.config().notify_keyspace_events;
  if ((asked_for & type) == 0) return;
  const std::string number = std::to_string(database);
  if ((asked_for & kNotifyKeyspace) != 0) {
    engine_.pubsub.Publish("__keyspace@" + number + "__:" + std::string(key), event);
  }
  if ((asked_for & kNotifyKeyevent) != 0) {
    engine_.pubsub.Publish("__keyevent@" + number + "__:" + std::string(event), key);
  }
}

void KeyspaceEvents::OnAdded(int database, std::string_view key) {
  Publish(kNotifyNew, "new", database, key);
}

void KeyspaceEvents::OnExpired(int database, std::string_view key) {
  ++engine_.statistics.expired_keys;
  const std::string_view effect[] = {engine_.dialect().removal, key};
  engine_.journal.Add(database, effect);
  Publish(kNotifyExpired, "expired", database, key);
  engine_.tracking.OnModified(key, 0);
}

void KeyspaceEvents::OnTouched(std::string_view key) {
  engine_.tracking.OnModified(key, engine_.author());
}

void KeyspaceEvents::OnReplaced() { engine_.tracking.OnFlushed(); }

// Redis propagates each field by itself, and leaves it to the last one that the key goes too.
void KeyspaceEvents::OnCollected(int database, std::string_view key,
                                 const std::vector<std::string>& fields, bool emptied) {
  engine_.statistics.CountEndedFields(fields.size());
  engine_.journal.EndUnit();
  std::vector<std::string_view> effect = {"HDEL", key};
  for (const std::string& field : fields) {
    effect.push_back(field);
    if (engine_.dialect().valkey) continue;
    engine_.journal.Add(database, effect);
    engine_.journal.EndUnit();
    effect.pop_back();
  }
  if (engine_.dialect().valkey) {
    engine_.journal.Add(database, effect);
    const std::string_view unlink[] = {"UNLINK", key};
    if (emptied) engine_.journal.Add(database, unlink);
    engine_.journal.EndUnit();
  }
  // Valkey calls it an expiry unless a command has met it.
  Publish(engine_.dialect().valkey ? kNotifyExpired : kNotifyHash, "hexpired", database, key);
  if (emptied) Publish(kNotifyGeneric, "del", database, key);
}

}  // namespace interlock::sim::redis
