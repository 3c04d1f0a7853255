// SPDX-License-Identifier: MIT
#include "sim/redis/outbox.h"

#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/wire_size.h"

namespace interlock::sim::redis {

void Outbox::Deliver(Client& client, Value& value) {
  // CLIENT REPLY does not affect pub/sub messages, even in RESP2.
  const bool push = value.type == Value::Type::kPush;
  if (!push && !client.wants_replies()) return;
  if (client.captured != nullptr && client.wants_replies()) {
    // A later HELLO in the same EXEC does not change its form.
    client.protocol == 2 ? ToResp2(&value) : ToResp3(&value);
    client.captured->push_back(std::move(value));
    return;
  }
  if (client.protocol == 3) {
    ToResp3(&value);
  } else if (value.type >= Value::Type::kArray) {
    ToResp2(&value);
  }
  Send(client, value);
}

void Outbox::Send(Client& client, Value& value) {
  if (engine_.dialect().valkey) client.bytes_sent += ReplySize(value, client.protocol);
  if (engine_.stall.active()) {
    engine_.stall.Keep(client.id, std::move(value));
  } else if (engine_.sink != nullptr) {
    engine_.sink->OnReply(client.id, value);
  }
}

void Outbox::Emit(ClientId id, Value value) {
  if (Client* client = engine_.clients.Find(id)) Deliver(*client, value);
}

}  // namespace interlock::sim::redis
