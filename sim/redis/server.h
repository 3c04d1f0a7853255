// SPDX-License-Identifier: MIT
//
// A fake Redis 7.0.15, embeddable: it executes commands, one at a time, on the caller's thread and
// on the caller's clock. No sockets, no threads, no clock of its own, no randomness of its own.
// Real redis-server 7.0 is its specification; what is not modelled is never answered: see
// unmodelled().
//
// Thread safety: none; one thread. Determinism: a function of the calls made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/cluster_view.h"
#include "sim/redis/value.h"

namespace interlock::sim::redis {

using Argv = std::vector<std::string>;

using ClientId = std::uint64_t;

/// Receives what the server sends. Called inside Execute and RunTimers, in order.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A reply, or a pub/sub message (kArray under RESP2, kPush under RESP3). The value is the sink's
  /// to take; what it leaves in its place is nothing but memory.
  virtual void OnReply(ClientId client, Value& value) = 0;
  /// The server has closed the connection (QUIT, CLIENT KILL).
  virtual void OnClosed(ClientId client) = 0;
};

class Engine;

class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// REQUIRES: called before the first Execute; the sink outlives its use.
  void SetSink(Sink* sink);

  /// Parameters as in redis.conf: {"appendonly", "yes"}.
  using ConfigurationFile = std::vector<std::pair<std::string, std::string>>;
  /// Makes it as freshly started with that configuration file: no data, no clients, no scripts,
  /// clock 0. If the file says what it may not, the first such entry is returned, "name value", and
  /// none of it holds. Keeps allocations and the Lua state, because making one costs more than a
  /// short run.
  std::string Reset(const ConfigurationFile& file = {});

  /// The wall clock, Unix time in us. Moves only by this call, and may move backwards (a clock
  /// step).
  void SetTime(std::int64_t unix_us);
  std::int64_t time_us() const;

  /// Sets a parameter of redis.conf ("maxmemory", "10mb"), those that CONFIG SET may not change
  /// too; until Reset(). Empty, or why not.
  [[nodiscard]] std::string Configure(std::string_view name, std::string_view value);

  /// How a process ends that nobody asked to.
  struct Crash {
    bool power_lost = false;          ///< The machine's: unsynced units are lost; else kill -9.
    std::size_t surviving_units = 0;  ///< So many of the oldest of those all the same.
  };
  /// A disk that does not do as it should, until told otherwise.
  struct DiskFault {
    bool saves_fail = false;   ///< Snapshots cannot be written: MISCONF.
    bool writes_fail = false;  ///< The append-only file cannot grow: MISCONF.
    bool fsync_hangs = false;  ///< everysec: writes to the file, too, wait for up to 2 s.
  };
  void SetDiskFault(const DiskFault& fault);
  void SetSnapshotTime(std::int64_t us);  ///< how long BGSAVE and BGREWRITEAOF take
  /// How many commands or transactions a power loss could now take from the append-only file.
  std::size_t unsynced_units();
  /// The process ends: all is gone but the disk. No OnClosed. REQUIRES: only SetTime before Start.
  void Kill(const Crash& crash);
  /// Starts it again with what is on disk, answering LOADING for `loading_us`. Configure still
  /// holds.
  void Start(std::int64_t loading_us = 0);

  /// HELLO 3 counts as unmodelled above this (2 or 3, which is the default).
  void SetHighestProtocol(int version);
  /// What is not modelled is answered with an error that names it, instead of ending all service.
  void SetUnmodelledIsError(bool is_error);

  /// Where RANDOMKEY, SPOP and their like take their choices from: called with a bound >= 1,
  /// returns less than the bound. Without one a fixed sequence, which Reset begins anew.
  using Random = std::function<std::uint64_t(std::uint64_t bound)>;
  void SetRandom(Random random);
  /// Called from inside a script for every 100,000 instructions of it. It may move the time, and
  /// connect, disconnect and Execute for other clients: once the script has run for longer than
  /// busy-reply-threshold they get BUSY, or end it with SCRIPT KILL; until then they wait for its
  /// end. Without a handler a script of 10 million instructions counts as unmodelled.
  void SetLongScriptHandler(std::function<void()> handler);

  /// What one script's values may take in bytes, at any time; 256 MiB unless told otherwise. One
  /// that needs more counts as unmodelled: in Redis only the machine's memory is a limit.
  /// REQUIRES: called before the first script.
  void SetScriptMemory(std::size_t bytes);
  /// What SHUTDOWN does, inside Execute; it gets no reply. Without it SHUTDOWN is not modelled.
  void SetShutdown(std::function<void()> shutdown);
  /// Makes the server a node of a cluster, or changes what it believes of it.
  void SetClusterView(ClusterView view);
  /// Null: it is no node of a cluster.
  const ClusterView* cluster_view() const;
  /// CLUSTER FAILOVER was called here since the last call of this.
  bool TakeFailoverRequest();

  /// `address` is what CLIENT LIST shows: "127.0.0.1:50000".
  ClientId Connect(std::string_view address = {});
  /// The peer is gone: the client's blocked command, subscriptions and transaction end with it.
  void Disconnect(ClientId client);

  /// Executes one command. Its reply, and the replies of blocked clients that it serves, go to the
  /// sink before this returns; no reply at all means that the client is now blocked.
  void Execute(ClientId client, const Argv& argv);

  /// What it sends now would have to wait: it is blocked, postponed by CLIENT PAUSE, the server
  /// stands still, or a script runs that is not busy yet.
  bool IsBlocked(ClientId client) const;
  /// As CLIENT LIST would show it.
  bool IsConnected(ClientId client) const;
  /// 2 or 3: in which RESP its replies are to be encoded.
  int ProtocolOf(ClientId client) const;
  bool IsAuthenticated(ClientId client) const;
  /// It listens to a channel or a pattern: other limits hold for what it leaves unread.
  bool IsSubscriber(ClientId client) const;
  /// As CLIENT SETNAME has it; empty: it has none. Valid until the next call.
  std::string_view NameOf(ClientId client) const;

  /// When RunTimers should next be called: for the time-out of a blocked client, the end of a
  /// pause or of a stall (DEBUG SLEEP); nullopt: never. Expiry is lazy, or by RunActiveExpiry; it
  /// needs no timer.
  std::optional<std::int64_t> NextTimerUs() const;
  void RunTimers();
  /// Deletes every key whose TTL has passed (as Redis' cron does some time after the deadline).
  void RunActiveExpiry();

  /// Grows whenever the data or a TTL changes; `changes` not when a key expires.
  std::uint64_t mutations() const;
  std::uint64_t changes() const;

  /// Looks at the data without touching it. A key whose TTL has passed is absent.
  std::optional<std::string> PeekString(int database, std::string_view key) const;
  std::vector<std::string> PeekList(int database, std::string_view key) const;
  std::vector<std::pair<std::string, std::string>> PeekHash(int database,
                                                            std::string_view key) const;
  std::vector<std::pair<std::string, double>> PeekSortedSet(int database,
                                                            std::string_view key) const;
  struct KeyInfo {
    std::string key;
    std::optional<std::int64_t> expires_at_ms;  ///< Unix time; nullopt: no TTL
  };
  /// In byte order; live keys only.
  std::vector<KeyInfo> PeekKeys(int database) const;
  using KeyVisitor = std::function<void(std::string_view key, std::optional<std::int64_t> expiry)>;
  void VisitKeys(int database, const KeyVisitor& visit) const;
  std::optional<std::int64_t> PeekExpiresAtMs(int database, std::string_view key) const;

  /// Set once, by the first command, option or redis.* function that Redis 7.0.15 knows and this
  /// server does not model: "SORT", "SET IFEQ", "redis.breakpoint". No reply was sent for it.
  const std::optional<std::string>& unmodelled() const;

  /// The inside, for the parts of this library that bind several servers together.
  Engine& engine();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "SET k v NX PX 1000", quoted where needed, as redis-cli would print it; for traces.
std::string ToText(const Argv& argv);
/// One line: `OK`, `(nil)`, `(integer) 1`, `"text"`, `(error) ERR ...`, `[1, "a"]`, `(map) [...]`,
/// `(double) 0.5`, `(true)`.
std::string ToText(const Value& value);

}  // namespace interlock::sim::redis
