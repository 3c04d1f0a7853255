// SPDX-License-Identifier: MIT
//
// One real server of a forced replay, and the connections that the clients have to it: opened,
// restarted, stopped, filled, made a replica and promoted as the simulated one is.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "scenarios/run/forced/alike.h"
#include "scenarios/run/forced/forced_data.h"
#include "scenarios/run/forced/real_pace.h"
#include "sim/machine/admin.h"
#include "sim/machine/redis_server.h"
#include "sim/redis/dialect.h"
#include "sim/shadow.h"

namespace interlock::scenarios::real {

/// One server of a forced replay.
struct ForcedServer {
  HiredisOptions options;  ///< no database: each case says which
  sim::machine::RedisServer* own =
      nullptr;  ///< null: it belongs to somebody else, and is not killed, stopped or filled
};

struct ForcedLink {
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Connection> connection;
  std::string id;           ///< as CLIENT LIST knows it
  std::string command;      ///< the last one
  bool watches = false;     ///< keys, for a transaction
  bool unanswered = false;  ///< by the real server
  bool forged = false;      ///< the next message is not the real server's
};

class ForcedNode {
 public:
  explicit ForcedNode(ForcedServer of) : server(std::move(of)) {}

  /// Opens the administrator's connection, and says which version the server is. kUnavailable: it
  /// was not reached, or is no such server; kInvalidArgument: the database is not empty.
  Result<sim::machine::ServerVersion> Open(Runtime& runtime, int database,
                                           const sim::redis::Dialect& dialect);

  /// kUnavailable: it was not reached.
  Status Connect(Runtime& runtime, int database, MonotonicTime deadline, ForcedLink& link) const;

  /// Whether another one has left the script of an EVALSHA in the server, where the simulated one
  /// did not know it.
  bool KnowsFromOthers(const sim::redis::Argv& argv);
  /// Whether the link's client gets to wait in the server.
  bool FallsAsleep(const ForcedLink& link, const RealPace& pace);
  /// Whether the server gets to close the connection.
  bool Closes(const std::string& id, const RealPace& pace);
  bool AnyWatches() const;

  /// What happens to its process, or how full it is; kFollows is nothing of the kind. The error
  /// says what the server could not be made to do. REQUIRES: it is our own, unless it gets full or
  /// free.
  Status Undergo(sim::Shadow::Happening happening, Runtime& runtime, int database);

  /// It becomes a replica that serves no clients, and its data are the primary's. As Admin::Call.
  Status Follow(const ForcedNode& primary);
  /// Lets a replica take what the primary has, and nothing more.
  bool CatchUp(ForcedNode& primary, const RealPace& pace);
  /// It is a primary from now on, with the data that it had when it was last in step.
  Status Promote();

  ForcedServer server;
  Alike alike;
  std::optional<sim::machine::Admin> admin;
  std::map<std::uint32_t, ForcedLink> links;
  ForcedData data;
  std::int64_t in_step = 0;  ///< a replica's offset, when it was last in step
  bool serves = true;        ///< false: it is down or stopped, or a replica

 private:
  Status OpenAdmin(Runtime& runtime, int database);
  Status ReplicaOf(int port);

  std::set<std::string> scripts_;  // sent to it, by their SHA-1
};

}  // namespace interlock::scenarios::real
