// SPDX-License-Identifier: MIT
//
// Client-side caching (CLIENT TRACKING): who is told that keys have changed, and when.
//
// By default a client is told once of each key that it has read. With BCAST it is told of all keys
// with its prefixes: per prefix one message for each turn of the server's event loop, behind all
// replies of the turn. What a command does to the keys of its own client stands behind its reply.
//
// Thread safety: none. Source: CLIENT TRACKING, CLIENT CACHING.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;
class StateSink;
struct Client;
struct Command;

/// How a client is tracked.
struct TrackingMode {
  bool on = false;
  bool broadcast = false;
  bool opt_in = false;
  bool opt_out = false;
  bool no_loop = false;   ///< not told of its own changes
  ClientId redirect = 0;  ///< who is told instead; 0: itself
  bool caching = false;   ///< CLIENT CACHING: the next command is an exception
  bool redirect_broken = false;
  std::set<std::string, std::less<>> prefixes = {};  ///< of broadcasts

  /// As CLIENT LIST shows it.
  std::int64_t shown_redirect() const { return on ? static_cast<std::int64_t>(redirect) : -1; }
};

class Tracking {
 public:
  using Arguments = std::span<const std::string_view>;

  explicit Tracking(Engine& engine) : engine_(engine) {}
  void Reset();

  /// Of the mode counts what CLIENT TRACKING ON sets; prefixes add to those that the client has.
  void Enable(Client& client, const TrackingMode& mode, Arguments prefixes);
  void Disable(Client& client);

  /// Whether anybody is tracked.
  bool on() const { return clients_ > 0; }
  /// A client, or a script on behalf of `caller`, has executed a command that only reads.
  void OnRead(const Client& client, const Command& command, Arguments args);
  /// The script that the client runs: before Redis 7.2 it reads the keys that it was given.
  void OnScript(const Command& command, Arguments args);
  /// A key was changed, made or deleted; author 0: by the server itself.
  void OnModified(std::string_view key, ClientId author);
  /// FLUSHALL and FLUSHDB, or another data set.
  void OnFlushed();
  /// A command of the client is over, and with it what CLIENT CACHING said of it: that is the next
  /// one that is not CLIENT, or the transaction.
  static void EndCaching(Client& client);
  /// Sends what the command of this client has done to its own keys.
  void TellCaller(ClientId id);
  /// The end of a turn of the event loop: sends the broadcasts.
  void EndTurn() {
    if (!changed_.empty()) Broadcast();
  }
  /// tracking-table-max-keys: forgets keys, as if they had changed.
  void LimitTable();
  /// As parts of the server's state.
  void Describe(StateSink& sink) const;

  std::size_t clients() const { return clients_; }
  std::size_t keys() const { return readers_.size(); }
  std::size_t items() const { return items_; }
  std::size_t prefixes() const { return listeners_.size(); }

 private:
  /// In the order in which Redis tells them: that of the bytes of their ids.
  struct ByBytes {
    bool operator()(ClientId a, ClientId b) const {
      return __builtin_bswap64(a) < __builtin_bswap64(b);
    }
  };
  using Readers = std::set<ClientId, ByBytes>;
  /// Keys that have changed, with the client whose command did it last.
  using Changes = std::map<std::string, ClientId, std::less<>>;

  void Invalidate(std::string_view key);
  void Broadcast();
  void Send(Client& client, const Value& keys);
  void UpdateListener();

  Engine& engine_;
  std::size_t clients_ = 0;
  std::map<std::string, Readers, std::less<>> readers_;  // by key
  std::size_t items_ = 0;
  std::map<std::string, std::set<ClientId>, std::less<>> listeners_;  // by prefix
  std::map<std::string, Changes, std::less<>> changed_;               // by prefix, in this turn
  std::vector<std::optional<std::string>> for_caller_;                // null: all keys
  const Command* script_ = nullptr;
  std::vector<std::string> script_args_;
};

}  // namespace interlock::sim::redis
