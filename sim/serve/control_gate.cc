// SPDX-License-Identifier: MIT
#include "sim/serve/control_gate.h"

#include "sim/redis/reply.h"

namespace interlock::sim::serve {

ControlGate::ControlGate(const ServeOptions& options) {
  for (const auto& [name, value] : options.parameters) {
    if (name != "requirepass") continue;
    password_ = value;
    guarded_ = guarded_ || (options.allow_remote && !value.empty());
  }
}

bool ControlGate::MaySteer(Connection& connection, const redis::Server& server) const {
  Connection::Notes& notes = connection.notes;
  if (notes.client != 0 && server.IsAuthenticated(notes.client)) notes.may_steer = true;
  return !guarded_ || notes.may_steer;
}

redis::Value ControlGate::Authenticate(Connection& connection, const redis::Argv& argv) const {
  const bool named = argv.size() == 3 && argv[1] == "default";
  if ((argv.size() != 2 && !named) || argv.back() != password_) {
    return redis::ErrorValue("WRONGPASS invalid username-password pair or user is disabled.");
  }
  connection.notes.may_steer = true;
  return redis::StatusValue("OK");
}

}  // namespace interlock::sim::serve
