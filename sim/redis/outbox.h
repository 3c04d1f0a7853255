// SPDX-License-Identifier: MIT
//
// What the server sends to its clients: in which form, and whether now, in the array of an EXEC,
// after a stall or not at all. Thread safety: none.
#pragma once

#include "sim/redis/client.h"
#include "sim/redis/value.h"

namespace interlock::sim::redis {

class Engine;

class Outbox {
 public:
  explicit Outbox(Engine& engine) : engine_(engine) {}

  /// Sends to the client's connection, or into the array of the EXEC that it is running.
  void Emit(Client& client, Value value) { Deliver(client, value); }
  void Emit(ClientId id, Value value);
  /// Like Emit, but may change the value or move from it.
  void Deliver(Client& client, Value& value);
  /// What EXEC answers: each reply has the form of its time.
  void EmitTransaction(Client& client, Value value) { Send(client, value); }

 private:
  void Send(Client& client, Value& value);

  Engine& engine_;
};

}  // namespace interlock::sim::redis
