// SPDX-License-Identifier: MIT
//
// Looks into a real server as the judges look into the fake one: which commands it has executed
// (by MONITOR, so the effects of scripts and transactions one by one), and all data that somebody
// may hold.
//
// Without Watch it only knows the server's version and keys.
//
// Non-guarantee: it takes several commands to read the data, so these are one state only while
// nobody else writes; keys may expire in between. Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "scenarios/run/foreign/held_data.h"
#include "sim/machine/admin.h"
#include "sim/machine/server_version.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// A line of MONITOR.
struct MonitorLine {
  std::string from;  ///< "127.0.0.1:40312", "lua", "unix:/run/redis.sock"
  sim::redis::Argv argv;
};
/// nullopt: it is none. Pure function.
std::optional<MonitorLine> ReadMonitorLine(const std::string& line);

class WatchedServer {
 public:
  /// `node`: its number. kUnavailable: not reached; kInvalidArgument: credentials.
  /// `runtime` must outlive it.
  static Result<std::unique_ptr<WatchedServer>> Open(Runtime& runtime,
                                                     const HiredisOptions& options, int node);

  const sim::machine::ServerVersion& version() const { return version_; }
  /// The number of keys in all databases.
  Result<std::int64_t> CountKeys();
  /// Begins to watch what is executed, which slows the server down. kUnavailable: it is older than
  /// Redis 7.0, where PEXPIRETIME is missing, or refuses.
  Status Watch();
  /// All data in all databases.
  Result<HeldMap> Read();
  /// What the connection with this address, and scripts, have executed since the last call.
  /// REQUIRES: Watch.
  Result<std::vector<sim::redis::Argv>> TakeExecuted(const std::string& address);
  /// The server forgets its scripts.
  Status ForgetScripts();
  /// Removes all keys. REQUIRES: there were none when the clients began.
  Status RemoveKeys();

 private:
  WatchedServer(Runtime& runtime, int node) : runtime_(runtime), node_(node) {}

  MonotonicTime Patience() const;
  Result<std::vector<int>> Databases();
  Result<Reply> CallIn(int database, const std::vector<std::string_view>& words);
  Status ReadKey(int database, const std::string& key, HeldMap& data);

  Runtime& runtime_;
  const int node_;
  sim::machine::ServerVersion version_;
  std::optional<sim::machine::Admin> admin_;
  std::unique_ptr<Connector> connector_;
  std::unique_ptr<Connection> monitor_;
  std::uint64_t marks_ = 0;
};

}  // namespace interlock::scenarios::drive
