// SPDX-License-Identifier: MIT
//
// One command in execution: what a handler may use. The reply starts as nil; every reply is made in
// its RESP3 form, and a RESP2 client gets what ToResp2 makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/notifications.h"
#include "sim/redis/reply.h"

namespace interlock::sim::redis {

class Engine;

using Arguments = std::span<const std::string_view>;

struct Context {
  Engine& engine;
  Client& client;
  Arguments args;
  const Command& command;
  Value& reply;
  bool silent = false;  // No reply now: blocked, or it was sent by other means.

  /// A command that changed data goes to replicas and the AOF as it is, unless it says otherwise.
  enum class Propagation : std::uint8_t { kIfChanged, kAlways, kDone };
  Propagation propagation = Propagation::kIfChanged;

  Keyspace& keyspace() const;
  int database() const { return client.database; }
  bool resp3() const { return client.protocol == 3; }
  /// The look-up of a command: one that writes makes no keymiss event, and on a replica that may be
  /// written to it deletes what has expired; one that reads does as FindToRead.
  Entry* Find(std::string_view key) const {
    return (command.flags & kWrite) != 0 ? FindToWrite(key) : FindToRead(key);
  }
  /// For the keys that a writing command only reads (sources of SINTERSTORE, COPY, SET ... GET).
  Entry* FindToRead(std::string_view key) const { return Accessed(Glance(key)); }
  Entry* FindToWrite(std::string_view key) const {
    return Accessed(keyspace().FindToWrite(client.database, key));
  }
  /// FindToRead without counting as an access (TTL, TYPE, EXISTS): OBJECT IDLETIME goes on.
  Entry* Glance(std::string_view key) const {
    Entry* entry = keyspace().Find(client.database, key);
    if (entry == nullptr) Notify(kNotifyKeyMiss, "keymiss", key);
    return entry;
  }
  /// Every change of a value or a TTL says so: watchers, the journal and EXEC depend on it.
  void Touch(std::string_view key, std::size_t changes = 1) const {
    keyspace().Touch(client.database, key, changes);
  }
  void Remove(std::string_view key) const { keyspace().Remove(client.database, key); }
  /// A keyspace event: Notify(kNotifyList, "lpush", key).
  void Notify(NotifyClass type, std::string_view event, std::string_view key) const;
  /// Does anybody read effects? Without, there is no need to make them.
  bool journalled() const;
  /// A time that has come already deletes at once; a replica, and who loads, wait for the DEL.
  bool DeletesAt(std::int64_t expires_at_ms) const {
    return expires_at_ms <= keyspace().now_ms() && !client.from_master &&
           keyspace().expiry_mode() == ExpiryMode::kDelete;
  }
  /// Puts this effect in the place of the command itself, e.g. SET ... PXAT for SETEX; called
  /// several times, all of them.
  void Propagate(std::initializer_list<std::string_view> effect) {
    Propagate(Arguments(effect.begin(), effect.size()));
  }
  void Propagate(Arguments effect);

  /// False, and WRONGTYPE as reply, if the key holds another type; null if it is missing.
  template <typename T>
  bool Get(std::string_view key, T** out) {
    return As(Find(key), out);
  }
  template <typename T>
  bool GetToRead(std::string_view key, T** out) {
    return As(FindToRead(key), out);
  }
  template <typename T>
  bool As(Entry* entry, T** out) {
    *out = entry == nullptr ? nullptr : std::get_if<T>(&entry->data);
    if (entry == nullptr || *out != nullptr) return true;
    Error(kWrongType);
    return false;
  }
  template <typename T>
  T& Create(std::string_view key) const {
    return std::get<T>(keyspace().Add(client.database, key, T()).data);
  }

  void Nil() { reply.Clear(); }
  void NilArray() { reply.type = Value::Type::kNilArray; }
  void Ok() { Status("OK"); }
  void Status(std::string_view text) { Text(Value::Type::kStatus, text); }
  void Error(std::string_view text) { Text(Value::Type::kError, text); }
  void String(std::string_view text) { Text(Value::Type::kString, text); }
  void Double(std::string_view text) { Text(Value::Type::kDouble, text); }
  void Verbatim(std::string_view text) { Text(Value::Type::kVerbatim, text); }
  void Integer(std::int64_t number) {
    reply.type = Value::Type::kInteger;
    reply.integer = number;
  }
  void Integer(std::size_t number) { Integer(static_cast<std::int64_t>(number)); }
  void EmptyArray() {
    reply.Clear();
    reply.type = Value::Type::kArray;
  }
  /// Turns the reply into an array, map or set, to be filled.
  std::vector<Value>& Array() { return Elements(Value::Type::kArray); }
  std::vector<Value>& Map() { return Elements(Value::Type::kMap); }
  std::vector<Value>& Set() { return Elements(Value::Type::kSet); }
  /// An array of two texts.
  void Pair(std::string_view first, std::string_view second) { reply.SetPair(first, second); }
  /// "ERR wrong number of arguments for 'x' command"
  void ArityError();
  /// False, and an error as reply, if the text is not an integer.
  bool ParseInt(std::string_view text, std::int64_t* out, std::string_view error = kNotInteger);
  /// This form of the command is known to Redis, but not to us: "SET IFEQ".
  void Unmodelled(std::string_view what);

 private:
  Entry* Accessed(Entry* entry) const {
    if (entry != nullptr) entry->accessed_ms = keyspace().now_ms();
    return entry;
  }
  void Text(Value::Type type, std::string_view text) {
    reply.type = type;
    reply.text.assign(text);
  }
  std::vector<Value>& Elements(Value::Type type) {
    reply.type = type;
    return reply.elements;
  }
};

}  // namespace interlock::sim::redis
