// SPDX-License-Identifier: MIT
//
// Clients that wait: first come, first served on each key; time-outs on the server's wall clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

using Arguments = std::span<const std::string_view>;

class Engine;
struct Client;
struct Context;

/// What a blocked client waits for, and how it is served: the second half of a blocking command.
struct Wait {
  /// Takes from the key, which holds a value of the awaited type, and replies.
  using Serve = void (*)(Engine& engine, Client& client, const Wait& wait, const std::string& key);
  Serve serve = nullptr;     // Null: WAIT, which waits for replicas.
  Value timeout_reply = {};  // As its command answers when nothing came.
  std::size_t type = 0;      // The index in Data of what is awaited.
  int database = 0;
  std::vector<std::string> keys;  // Each once.
  std::int64_t deadline_ms = 0;   // 0: never
  std::uint64_t order = 0;        // Counts all waits, so that the first to come is known.

  // What the command has to remember.
  bool from_left = true;      // For a sorted set: the lowest.
  bool to_left = true;        // BLMOVE
  std::string destination;    // BLMOVE
  bool as_rpoplpush = false;  // BRPOPLPUSH: its effect is RPOPLPUSH, not LMOVE.
  std::int64_t count = 0;     // BLMPOP, BZMPOP
  std::int64_t offset = 0;    // WAIT: which must have been acknowledged
};

class Blocking {
 public:
  explicit Blocking(Engine& engine) : engine_(engine) {}
  void Reset();

  void Block(Client& client, Wait wait);
  /// Ends what the client waits for, and returns it; its queued commands become ready to run.
  Wait Unblock(Client& client);
  /// Blocks it on these keys, each once, with no reply now.
  void Block(Context& context, Arguments keys, Wait wait);
  /// SWAPDB: all keys of the database that a client waits for are as good as new.
  void MarkReadyKeys(int database);
  /// Serves the clients that wait for keys which the last command made.
  void ServeReadyKeys();
  /// Ends waits with the reply of a time-out whose deadline has come.
  void RunTimers();
  void ReplyTimeout(Client& client);
  /// Sends an error in place of what the client has waited for.
  void ReplyError(Client& client, std::string_view error);
  /// Ends every wait with this error.
  void UnblockAll(std::string_view error);
  std::optional<std::int64_t> NextDeadlineMs() const;
  /// What this client sent after the command that held it up is to run now.
  void AddUnblocked(ClientId id) { unblocked_.push_back(id); }
  /// Clients unblocked since the last call, in order.
  std::vector<ClientId> TakeUnblocked() { return std::exchange(unblocked_, {}); }
  bool HasUnblocked() const { return !unblocked_.empty(); }

 private:
  void NoteEnd(const Client& client);

  using Key = std::pair<int, std::string>;
  using KeyView = std::pair<int, std::string_view>;
  struct Before {
    using is_transparent = void;
    bool operator()(const KeyView& one, const KeyView& other) const { return one < other; }
  };
  void ServeKey(const Key& key);

  Engine& engine_;
  std::map<Key, std::vector<ClientId>, Before> waiters_;  // Who came first comes first.
  std::vector<Key> ready_;  // Those that are being served, for its memory.
  std::set<std::tuple<std::int64_t, std::uint64_t, ClientId>> deadlines_;
  std::uint64_t block_count_ = 0;
  std::vector<ClientId> unblocked_;
};

/// Seconds as a decimal to an absolute deadline in ms; 0 stays 0. False: an error is the reply.
bool ParseTimeout(Context& context, std::string_view text, std::int64_t* deadline_ms);

}  // namespace interlock::sim::redis
