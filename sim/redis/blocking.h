// SPDX-License-Identifier: MIT
//
// Clients that wait: first come, first served on each key; time-outs on the server's wall clock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;
class Keyspace;
struct Client;
struct Context;

/// What a blocked client waits for.
struct Wait {
  enum class Kind : std::uint8_t { kPop, kMove, kReplicas };
  Kind kind = Kind::kPop;
  int database = 0;
  std::vector<std::string> keys;  // Each once.
  bool from_left = true;
  bool to_left = true;           // kMove
  std::string destination;       // kMove
  std::int64_t deadline_ms = 0;  // 0: never
  std::uint64_t order = 0;       // Counts all waits: who came first.
};

class Blocking {
 public:
  explicit Blocking(Engine& engine) : engine_(engine) {}
  void Reset();

  void Block(Client& client, Wait wait);
  /// Forgets what the client waits for; its queued commands become ready to run.
  void Unblock(Client& client);
  /// Hands the elements of lists made by the last command to those who wait for them.
  void ServeNewLists();
  /// Ends waits with the reply of a time-out whose deadline has come.
  void RunTimers();
  void ReplyTimeout(Client& client);
  std::optional<std::int64_t> NextDeadlineMs() const;
  /// Clients unblocked since the last call, in order.
  std::vector<ClientId> TakeUnblocked() { return std::exchange(unblocked_, {}); }
  bool HasUnblocked() const { return !unblocked_.empty(); }

 private:
  using Key = std::pair<int, std::string>;
  void ServeList(const Key& key);
  void Serve(Client& client, const Key& key);

  Engine& engine_;
  std::map<Key, std::deque<ClientId>> waiters_;
  std::set<std::tuple<std::int64_t, std::uint64_t, ClientId>> deadlines_;
  std::uint64_t block_count_ = 0;
  std::vector<ClientId> unblocked_;
};

/// Moves an element as LMOVE does, and returns it.
/// REQUIRES: the source is a list with elements, the destination a list or missing.
std::string MoveElement(Keyspace& keyspace, int database, std::string_view source, bool from_left,
                        std::string_view destination, bool to_left);

/// Seconds as a decimal to an absolute deadline in ms; 0 stays 0. False: an error is the reply.
bool ParseTimeout(Context& context, std::string_view text, std::int64_t* deadline_ms);

}  // namespace interlock::sim::redis
