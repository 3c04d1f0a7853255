// SPDX-License-Identifier: MIT
//
// A second server for each fake one: it is told all that the fake server is given, in the order in
// which it executes it and at the virtual time at which it does, and all that it sends. So a real
// server can be led through a simulated run, and its answers compared.
//
// Nothing that a shadow does changes the run. Called from inside of it: must not call back into the
// world, and must not wait on the world's tasks; real time it may take as much as it likes.
// Thread safety: as the world's.
#pragma once

#include <cstdint>
#include <string>

#include <interlock/time.h>

#include "sim/redis/server.h"

namespace interlock::sim {

class Shadow {
 public:
  /// A connection as its server knows it. Ids are never used again.
  struct Client {
    int node = 0;
    std::uint32_t link = 0;
    int process = 0;
  };

  enum class Happening : std::uint8_t {
    kKilled,     ///< the process, as by SIGKILL
    kPowerLost,  ///< the machine: what was not synced is lost
    kStarted,    ///< it runs again, with what is on its disk
    kStopped,    ///< as by SIGSTOP
    kResumed,
    kFull,  ///< its memory: it refuses what could need more
    kNotFull,
    kFollows,  ///< it is a replica of the primary from now on, and loses what it has
  };

  virtual ~Shadow() = default;

  virtual void OnConnect(const Client& client, int database, Duration now) = 0;
  /// The server has executed a command. `forged`: it has not, because a fault has answered for it.
  virtual void OnCommand(const Client& client, const redis::Argv& argv, bool forged,
                         Duration now) = 0;
  /// The reply to the client's oldest unanswered command, or a message to a subscriber, whether it
  /// reaches the client or not. Of everything that one command causes, its own reply comes first.
  virtual void OnMessage(const Client& client, const redis::Value& value, Duration now) = 0;
  /// The server has closed the connection, or has seen its end.
  virtual void OnDisconnect(const Client& client, Duration now) = 0;
  /// A command of the operator. CLIENT KILL names `victim`.
  virtual void OnAdmin(int node, int database, const redis::Argv& argv, const Client* victim,
                       Duration now) = 0;
  virtual void OnServer(int node, Happening happening, Duration now) = 0;
  /// A replica has all that its primary has, which is at this replication offset.
  virtual void OnInStep(int node, std::int64_t offset, Duration now) = 0;
  /// The server becomes the primary, with what it has: up to this offset.
  virtual void OnPromoted(int node, std::int64_t offset, Duration now) = 0;
  /// Everything that came of one of these has been reported; `server` has the data.
  virtual void OnSettled(int node, redis::Server& server, Duration now) = 0;
};

}  // namespace interlock::sim
