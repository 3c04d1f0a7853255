// SPDX-License-Identifier: MIT
//
// The inside of the server: clients, the order of checks in front of every command, and what
// happens behind it (blocked clients are served). Commands see it through their Context.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/blocking.h"
#include "sim/redis/command_table.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/pubsub.h"
#include "sim/redis/reply.h"
#include "sim/redis/scripting/scripting.h"
#include "sim/redis/server.h"

namespace interlock::sim::redis {

using Arguments = std::span<const std::string_view>;

struct Client {
  ClientId id = 0;
  int database = 0;
  bool authenticated = true;
  std::string name;

  bool in_multi = false;
  bool queue_failed = false;  // EXEC will answer EXECABORT.
  std::vector<Argv> queue;

  std::set<std::string, std::less<>> channels;
  std::set<std::string, std::less<>> patterns;

  std::optional<Wait> wait;  // Set while blocked.
  std::deque<Argv> pending;  // Commands that arrived while blocked.

  bool must_not_block = false;             // Inside EXEC or a script.
  std::vector<Value>* captured = nullptr;  // Inside EXEC: its output becomes elements.
};

class Engine;

/// One command in execution. The reply starts as nil.
struct Context {
  Engine& engine;
  Client& client;
  Arguments args;
  const Command& command;
  Value reply = {};
  bool silent = false;  // No reply now: blocked, or it was sent by other means.

  Keyspace& keyspace() const;
  int database() const { return client.database; }
  Entry* Find(std::string_view key) const { return keyspace().Find(client.database, key); }
  void Touch(std::string_view key) const { keyspace().Touch(client.database, key); }
  void Remove(std::string_view key) const { keyspace().Remove(client.database, key); }

  /// False, and WRONGTYPE as reply, if the key holds another type; null if it is missing.
  template <typename T>
  bool Get(std::string_view key, T** out) {
    Entry* entry = Find(key);
    *out = entry == nullptr ? nullptr : std::get_if<T>(&entry->data);
    if (entry == nullptr || *out != nullptr) return true;
    Error(kWrongType);
    return false;
  }
  template <typename T>
  T& Create(std::string_view key) const {
    return std::get<T>(keyspace().Add(client.database, key, T()).data);
  }

  void Nil() { reply = Value(); }
  void NilArray() { reply.type = Value::Type::kNilArray; }
  void Ok() { Status("OK"); }
  void Status(std::string_view text) { Text(Value::Type::kStatus, text); }
  void Error(std::string_view text) { Text(Value::Type::kError, text); }
  void String(std::string_view text) { Text(Value::Type::kString, text); }
  void Integer(std::int64_t number) {
    reply.type = Value::Type::kInteger;
    reply.integer = number;
  }
  void Integer(std::size_t number) { Integer(static_cast<std::int64_t>(number)); }
  void EmptyArray() { reply = ArrayValue(); }
  /// Turns the reply into an array, to be filled.
  std::vector<Value>& Array() {
    reply.type = Value::Type::kArray;
    return reply.elements;
  }
  /// "ERR wrong number of arguments for 'x' command"
  void ArityError();
  /// False, and an error as reply, if the text is not an integer.
  bool ParseInt(std::string_view text, std::int64_t* out, std::string_view error = kNotInteger);
  /// This form of the command is known to Redis, but not to us.
  void Unmodelled(std::string_view what);

 private:
  void Text(Value::Type type, std::string_view text) {
    reply.type = type;
    reply.text.assign(text);
  }
};

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Reset();
  ClientId Connect();
  void Disconnect(ClientId id);
  Client* FindClient(ClientId id);
  void Execute(ClientId id, const Argv& argv);
  void RunTimers();

  /// To the client's connection, or into the array of the EXEC that it is running.
  void Emit(Client& client, Value value);
  void Emit(ClientId id, Value value);
  /// The server hangs up.
  void Close(Client& client);
  /// Runs a command's handler with the client's other checks already passed.
  Value Run(Client& client, const Command& command, Arguments args, bool* silent);
  void SetUnmodelled(std::string_view what);
  void DiscardTransaction(Client& client);

  std::int64_t now_ms() const { return keyspace.now_ms(); }

  Sink* sink = nullptr;
  std::int64_t now_us = 0;
  std::string password;
  std::optional<std::string> unmodelled;
  Keyspace keyspace;
  Blocking blocking;
  PubSub pubsub;
  Scripting scripting;

 private:
  void ExecuteNow(Client& client, const Argv& argv);
  void Process(Client& client, Arguments args);
  bool Refuse(Client& client, Arguments args, const Command* command, bool container);
  void Reject(Client& client, const Command* command, std::string_view error);
  void AfterCommand();

  std::vector<std::unique_ptr<Client>> clients_;  // By id - 1; null when gone.
  std::vector<std::unique_ptr<Client>> spare_;
};

}  // namespace interlock::sim::redis
