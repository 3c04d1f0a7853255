// SPDX-License-Identifier: MIT
//
// A check's own access to the server: locating it, checking that it is suitable, and plain commands
// whose failure is a Status.
//
// Safety: never writes, except for removing keys by name. Thread safety: none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "sim/machine/server_version.h"

namespace interlock::sim::machine {

/// A connection that turns error replies into kUnavailable.
class Admin {
 public:
  /// `runtime` must outlive it. Like Connector::Connect; kUnavailable after two seconds.
  static Result<Admin> Open(Runtime& runtime, const HiredisOptions& options);

  Result<Reply> Call(const std::vector<std::string_view>& words);

 private:
  Admin(Runtime& runtime, std::unique_ptr<Connector> connector,
        std::unique_ptr<Connection> connection);

  Runtime* runtime_;
  std::unique_ptr<Connector> connector_;
  std::unique_ptr<Connection> connection_;
};

/// Whether the address is on this machine: 127.0.0.0/8, ::1, "localhost" or a Unix socket. Other
/// names are not resolved.
bool IsOnThisMachine(const HiredisOptions& options);

/// kInvalidArgument: the URL is malformed, or not on this machine without `allow_remote`.
Result<HiredisOptions> ParseTarget(std::string_view url, bool allow_remote);

/// Several, separated by commas.
Result<std::vector<HiredisOptions>> ParseTargets(std::string_view urls, bool allow_remote);

/// kUnavailable: it identifies itself neither as Redis nor as Valkey.
Result<ServerVersion> VersionOf(Admin& admin);

/// kUnavailable: not reached, older than Redis 6.2, a cluster node, or a replica that accepts no
/// writes. kInvalidArgument: the server refused the credentials or the database. REQUIRES: no key
/// begins with `prefix` yet.
Status CheckServer(Runtime& runtime, const HiredisOptions& options, const std::string& prefix);

/// The database for a scenario that wants `wanted`: that one, if the URL names none and the server
/// has it; otherwise the URL's.
int DatabaseFor(Runtime& runtime, const HiredisOptions& options, int wanted);

}  // namespace interlock::sim::machine
