// SPDX-License-Identifier: MIT
//
// Blocked clients: first come, first served on each key; timeouts on the server's wall clock.
#pragma once

#include <array>
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
  Serve serve = nullptr;     // Null: WAIT and WAITAOF, which wait for replicas and disks.
  Value timeout_reply = {};  // The command's answer on a timeout.
  std::size_t type = 0;      // The awaited type, as an index in Data.
  int database = 0;
  std::vector<std::string> keys;  // Each once.
  std::int64_t deadline_ms = 0;   // 0: never
  std::uint64_t order = 0;        // Numbers all waits, to order them by arrival.

  // State of the command.
  bool from_left = true;             // For a sorted set: the lowest.
  bool to_left = true;               // BLMOVE
  std::array<std::string, 2> sides;  // of BLMOVE, as they were sent
  std::string destination;           // BLMOVE
  bool as_rpoplpush = false;         // BRPOPLPUSH: its effect is RPOPLPUSH, not LMOVE.
  std::int64_t count = 0;            // BLMPOP, BZMPOP; WAIT, WAITAOF: of replicas
  std::int64_t offset = 0;           // WAIT, WAITAOF: the offset to be acknowledged.
  bool for_disks = false;            // WAITAOF
  bool for_own_disk = false;         // WAITAOF 1: also of this server,
  std::uint64_t unit = 0;            // which needs to have units before this one.
};

class Blocking {
 public:
  explicit Blocking(Engine& engine) : engine_(engine) {}
  void Reset();

  void Block(Client& client, Wait wait);
  /// Ends the client's wait, and returns it; its queued commands become ready to run.
  Wait Unblock(Client& client);
  /// Blocks it on these keys, each once, without a reply now.
  void Block(Context& context, Arguments keys, Wait wait);
  /// SWAPDB: marks all keys of the database that clients wait for as ready.
  void MarkReadyKeys(int database);
  /// Serves clients waiting for keys that the last command made.
  void ServeReadyKeys();
  /// Ends waits whose deadline has passed, with the reply of a timeout.
  void RunTimers();
  void ReplyTimeout(Client& client);
  /// Sends an error instead of what the client has waited for.
  void ReplyError(Client& client, std::string_view error);
  /// Ends every wait with this error.
  void UnblockAll(std::string_view error);
  bool HasDeadline() const { return !deadlines_.empty(); }
  std::optional<std::int64_t> NextDeadlineMs() const;
  /// What this client sent after the command that blocked it is to run now.
  void AddUnblocked(ClientId id) { unblocked_.push_back(id); }
  /// Clients unblocked since the last call, in order.
  std::vector<ClientId> TakeUnblocked() { return std::exchange(unblocked_, {}); }
  bool HasUnblocked() const { return !unblocked_.empty(); }
  /// How many keys clients wait for.
  std::size_t keys() const { return waiters_.size(); }
  /// Whether somebody waits for this server's disk.
  bool waits_for_disk() const { return disk_waits_ > 0; }

 private:
  void NoteEnd(const Client& client);

  using Key = std::pair<int, std::string>;
  using KeyView = std::pair<int, std::string_view>;
  struct Before {
    using is_transparent = void;
    bool operator()(const KeyView& one, const KeyView& other) const { return one < other; }
  };
  void ServeKey(const Key& key);
  void Serve(Client& client, const Wait& wait, const std::string& woken_by);

  Engine& engine_;
  std::map<Key, std::vector<ClientId>, Before> waiters_;  // In order of arrival.
  std::vector<Key> ready_;  // Keys being served; a member to reuse its memory.
  std::set<std::tuple<std::int64_t, std::uint64_t, ClientId>> deadlines_;
  std::uint64_t block_count_ = 0;
  std::size_t disk_waits_ = 0;
  std::vector<ClientId> unblocked_;
};

/// Converts seconds as a decimal to an absolute deadline in ms; 0 stays 0. On failure replies an
/// error and returns false.
bool ParseTimeout(Context& context, std::string_view text, std::int64_t* deadline_ms);

}  // namespace interlock::sim::redis
