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
  const std::string_view effect[] = {"DEL", key};
  engine_.journal.Add(database, effect);
  Publish(kNotifyExpired, "expired", database, key);
  engine_.tracking.OnModified(key, 0);
}

void KeyspaceEvents::OnTouched(std::string_view key) {
  engine_.tracking.OnModified(key, engine_.author());
}

void KeyspaceEvents::OnReplaced() { engine_.tracking.OnFlushed(); }

}  // namespace interlock::sim::redis
