// SPDX-License-Identifier: MIT
//
// Who may give control commands: anybody, unless others can reach the server and it has a password.
//
// Thread safety: none.
#pragma once

#include <string>

#include "sim/serve/connection.h"
#include "sim/serve/options.h"

namespace interlock::sim::serve {

class ControlGate {
 public:
  explicit ControlGate(const ServeOptions& options);

  /// Whether a password is asked for.
  bool guarded() const { return guarded_; }
  /// Whether no password is asked for, or the connection has given it, now or before a crash of the
  /// server.
  bool MaySteer(Connection& connection, const redis::Server& server) const;
  /// Answers AUTH in the place of a server that is down: the fake knows no clients then, but
  /// somebody has to be able to start it again.
  redis::Value Authenticate(Connection& connection, const redis::Argv& argv) const;

 private:
  std::string password_;
  bool guarded_ = false;
};

}  // namespace interlock::sim::serve
