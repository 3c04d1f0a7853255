// SPDX-License-Identifier: MIT
//
// An embeddable fake Redis 7.0.15: it executes commands, one at a time, on the caller's thread and
// the caller's clock. It has no sockets, threads, clock or randomness of its own. Real redis-server
// 7.0 is the specification; unmodelled commands are never answered: see unmodelled().
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
#include "sim/redis/dialect.h"
#include "sim/redis/value.h"

namespace interlock::sim::redis {

using Argv = std::vector<std::string>;

using ClientId = std::uint64_t;

/// Receives what the server sends. Called inside Execute and RunTimers, in order.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A reply, or a pub/sub message (kArray under RESP2, kPush under RESP3). The sink may move from
  /// the value; whatever it leaves there is only reused as memory.
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
  /// clock 0. If the file has an invalid entry, returns the first one, "name value", and applies
  /// nothing. Keeps allocations and the Lua state, because making one costs more than a short run.
  std::string Reset(const ConfigurationFile& file = {});

  /// Whose behaviour it takes on, over later Resets, too; Redis 7.0 without it. REQUIRES: followed
  /// by Reset, unless nothing was executed yet.
  void SetDialect(const Dialect& dialect);
  const Dialect& dialect() const;

  /// Sets the wall clock, Unix time in us. It moves only by this call, and may go backwards (a
  /// clock step).
  void SetTime(std::int64_t unix_us);
  std::int64_t time_us() const;

  /// Sets a parameter of redis.conf ("maxmemory", "10mb"), even one that CONFIG SET may not change;
  /// until Reset(). Returns the reason if that fails, otherwise empty.
  [[nodiscard]] std::string Configure(std::string_view name, std::string_view value);

  /// An unplanned end of the process.
  struct Crash {
    bool power_lost = false;  ///< The machine's power: unsynced units are lost; false: kill -9.
    std::size_t surviving_units = 0;  ///< Number of oldest unsynced units that survive anyway.
  };
  /// A disk that misbehaves until further notice.
  struct DiskFault {
    bool saves_fail = false;   ///< Snapshots cannot be written: MISCONF.
    bool writes_fail = false;  ///< The append-only file cannot grow: MISCONF.
    bool fsync_hangs = false;  ///< everysec: even writes to the file wait, for up to 2 s.
  };
  void SetDiskFault(const DiskFault& fault);
  void SetSnapshotTime(std::int64_t us);  ///< how long BGSAVE and BGREWRITEAOF take
  /// Number of commands or transactions that a power loss now could take from the append-only file.
  std::size_t unsynced_units();
  /// Ends the process: only the disk is left. No OnClosed. REQUIRES: only SetTime before Start.
  void Kill(const Crash& crash);
  /// Restarts it with what is on disk, answering LOADING for `loading_us`. Keeps Configure
  /// settings.
  void Start(std::int64_t loading_us = 0);

  /// HELLO above this version (2 or 3, the default) counts as unmodelled.
  void SetHighestProtocol(int version);
  /// Answers unmodelled commands with an error that names them, instead of ending all service.
  void SetUnmodelledIsError(bool is_error);

  /// The source of choices for RANDOMKEY, SPOP and the like: called with a bound >= 1, returns less
  /// than the bound. Without one, a fixed sequence that Reset restarts.
  using Random = std::function<std::uint64_t(std::uint64_t bound)>;
  void SetRandom(Random random);
  /// Called from inside a script for every 100,000 of its instructions. It may move the time, and
  /// connect, disconnect and Execute for other clients: once the script has run for longer than
  /// busy-reply-threshold they get BUSY, or end it with SCRIPT KILL; until then they wait for its
  /// end. Without a handler, a script of 10 million instructions counts as unmodelled.
  void SetLongScriptHandler(std::function<void()> handler);

  /// The most bytes that one script's values may take at any time; default 256 MiB. A script that
  /// needs more counts as unmodelled: in Redis only the machine's memory is a limit. REQUIRES:
  /// called before the first script.
  void SetScriptMemory(std::size_t bytes);
  /// What SHUTDOWN does, inside Execute; it gets no reply. If unset, SHUTDOWN is not modelled.
  void SetShutdown(std::function<void()> shutdown);
  /// Makes the server a node of a cluster, or changes its view of it.
  void SetClusterView(ClusterView view);
  /// Null: it is not a node of a cluster.
  const ClusterView* cluster_view() const;

  /// `address` is what CLIENT LIST shows: "127.0.0.1:50000".
  ClientId Connect(std::string_view address = {});
  /// The peer is gone: its client's blocked command, subscriptions and transaction end.
  void Disconnect(ClientId client);

  /// Executes one command. Its reply, and the replies of blocked clients that it serves, go to the
  /// sink before this returns; no reply at all means that the client is now blocked.
  void Execute(ClientId client, const Argv& argv);

  /// Long: a turn of the event loop ends with EndTurn, else with each command. What CLIENT TRACKING
  /// BCAST tells of the keys that a turn has changed is one message at its end.
  void SetLongTurns(bool are_long);
  void EndTurn();

  /// Whether its next command would have to wait: it is blocked, postponed by CLIENT PAUSE, the
  /// server is stalled, or a script runs that is not yet busy.
  bool IsBlocked(ClientId client) const;
  /// Whether CLIENT LIST would show it.
  bool IsConnected(ClientId client) const;
  /// The RESP version of its replies: 2 or 3.
  int ProtocolOf(ClientId client) const;
  bool IsAuthenticated(ClientId client) const;
  /// Whether it listens to a channel or pattern, which changes the limits on its unread output.
  bool IsSubscriber(ClientId client) const;
  /// Whether it, or another client for it, is told of changed keys (CLIENT TRACKING).
  bool IsTracked(ClientId client) const;
  /// The name set by CLIENT SETNAME; empty: none. Valid until the next call.
  std::string_view NameOf(ClientId client) const;

  /// When RunTimers should next be called: for the timeout of a blocked client, the end of a pause
  /// or of a stall (DEBUG SLEEP); nullopt: never. Expiry is lazy, or by RunActiveExpiry, and needs
  /// no timer.
  std::optional<std::int64_t> NextTimerUs() const;
  void RunTimers();
  /// Deletes every expired key, and shortens the table of tracked keys (as Redis' cron does some
  /// time after the deadline).
  void RunActiveExpiry();

  /// Counts changes of data and TTLs; `changes` does not count expiries.
  std::uint64_t mutations() const;
  std::uint64_t changes() const;

  /// Inspects the data without touching it. Expired keys are absent.
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
  /// server does not model: "PFCOUNT", "SET IFEQ", "redis.breakpoint". It got no reply.
  const std::optional<std::string>& unmodelled() const;

  /// The internals, for the parts of this library that connect several servers.
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
