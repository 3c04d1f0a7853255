// SPDX-License-Identifier: MIT
//
// A command's execution context: what its handler may use. The reply starts as nil; every reply is
// made in its RESP3 form, and converted by ToResp2 for a RESP2 client.
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
#include "sim/redis/overwrite.h"
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
  bool silent = false;  // No reply now: blocked, or sent by other means.

  /// By default, a command that changed data goes to replicas and the AOF unchanged.
  enum class Propagation : std::uint8_t { kIfChanged, kAlways, kDone };
  Propagation propagation = Propagation::kIfChanged;

  const Dialect& dialect() const;  ///< of the server
  Keyspace& keyspace() const;
  int database() const { return client.database; }
  bool resp3() const { return client.protocol == 3; }
  /// A command's look-up: for a write it makes no keymiss event, and on a writable replica deletes
  /// an expired key; for a read it does what FindToRead does.
  Entry* Find(std::string_view key) const {
    return (command.flags & kWrite) != 0 ? FindToWrite(key) : FindToRead(key);
  }
  /// For keys that a writing command only reads (sources of SINTERSTORE, COPY, SET ... GET).
  Entry* FindToRead(std::string_view key) const { return Accessed(Glance(key)); }
  Entry* FindToWrite(std::string_view key) const {
    return Accessed(keyspace().FindToWrite(client.database, key));
  }
  /// FindToRead without counting as an access (TTL, TYPE, EXISTS): OBJECT IDLETIME is not reset.
  Entry* Glance(std::string_view key) const {
    Entry* entry = keyspace().Find(client.database, key);
    if (entry == nullptr) Notify(kNotifyKeyMiss, "keymiss", key);
    return entry;
  }
  /// Must be called on every change of a value or TTL: watchers, the journal and EXEC depend on it.
  void Touch(std::string_view key, std::size_t changes = 1) const {
    keyspace().Touch(client.database, key, changes);
  }
  void Remove(std::string_view key) const { keyspace().Remove(client.database, key); }
  /// A keyspace event: Notify(kNotifyList, "lpush", key).
  void Notify(NotifyClass type, std::string_view event, std::string_view key) const;
  /// Whether anybody reads effects; otherwise none need be made.
  bool journalled() const;
  /// An expiry in the past deletes at once, except on a replica or while loading, which wait for a
  /// DEL.
  bool DeletesAt(std::int64_t expires_at_ms) const {
    return expires_at_ms <= keyspace().now_ms() && !client.from_master &&
           keyspace().expiry_mode() == ExpiryMode::kDelete;
  }
  /// Removes the key, as DEL instead of the command.
  void Delete(std::string_view key);
  /// The same for a key whose new expiry has passed already.
  void DeleteAsOver(std::string_view key);
  /// Propagates this effect instead of the command itself, e.g. SET ... PXAT for SETEX; if called
  /// several times, all of them.
  void Propagate(std::initializer_list<std::string_view> effect) {
    Propagate(Arguments(effect.begin(), effect.size()));
  }
  void Propagate(Arguments effect);

  /// Returns false, with WRONGTYPE as reply, if the key holds another type; `*out` is null if it is
  /// missing.
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
  /// Turns the reply into an array, map or set to be filled.
  std::vector<Value>& Array() { return Elements(Value::Type::kArray); }
  std::vector<Value>& Map() { return Elements(Value::Type::kMap); }
  std::vector<Value>& Set() { return Elements(Value::Type::kSet); }
  /// An array of two texts.
  void Pair(std::string_view first, std::string_view second) { reply.SetPair(first, second); }
  /// "ERR wrong number of arguments for 'x' command"
  void ArityError();
  /// Returns false, with an error as reply, if the text is not an integer.
  bool ParseInt(std::string_view text, std::int64_t* out, std::string_view error = kNotInteger);
  /// Reports a form of the command that Redis knows and this server does not model: "SET IFEQ".
  void Unmodelled(std::string_view what);

 private:
  Entry* Accessed(Entry* entry) const {
    if (entry != nullptr && !client.no_touch) entry->accessed_ms = keyspace().now_ms();
    return entry;
  }
  void Text(Value::Type type, std::string_view text) {
    reply.type = type;
    Overwrite(&reply.text, text);
  }
  std::vector<Value>& Elements(Value::Type type) {
    reply.type = type;
    return reply.elements;
  }
};

}  // namespace interlock::sim::redis
