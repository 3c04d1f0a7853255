// SPDX-License-Identifier: MIT
//
// A second server beside each fake one, told all input that the fake server executes, in the same
// order and at the same virtual time, and all its output. So a real server can follow a simulated
// run, and its answers can be compared.
//
// A shadow never changes the run. Called from inside it: must not call back into the world, nor
// wait on its tasks, but may take any amount of real time. Thread safety: that of the world.
#pragma once

#include <cstdint>
#include <string>

#include <interlock/time.h>

#include "sim/redis/server.h"

namespace interlock::sim {

class Shadow {
 public:
  /// A connection as its server knows it. Ids are never reused.
  struct Client {
    int node = 0;
    std::uint32_t link = 0;
    int process = 0;
  };

  enum class Happening : std::uint8_t {
    kKilled,     ///< the process, as by SIGKILL
    kPowerLost,  ///< the machine: unsynced data is lost
    kStarted,    ///< it runs again, with the data on its disk
    kStopped,    ///< as by SIGSTOP
    kResumed,
    kFull,  ///< out of memory: it refuses what could need more
    kNotFull,
    kFollows,  ///< it becomes a replica of the primary, losing its data
  };

  virtual ~Shadow() = default;

  virtual void OnConnect(const Client& client, int database, Duration now) = 0;
  /// The server has executed a command. `forged`: it has not; a fault answered in its place.
  virtual void OnCommand(const Client& client, const redis::Argv& argv, bool forged,
                         Duration now) = 0;
  /// The reply to the client's oldest unanswered command, or a message to a subscriber, whether or
  /// not it reaches the client. A command's own reply comes before its other effects.
  virtual void OnMessage(const Client& client, const redis::Value& value, Duration now) = 0;
  /// The server has closed the connection, or has seen its end.
  virtual void OnDisconnect(const Client& client, Duration now) = 0;
  /// An operator's command. CLIENT KILL names `victim`.
  virtual void OnAdmin(int node, int database, const redis::Argv& argv, const Client* victim,
                       Duration now) = 0;
  virtual void OnServer(int node, Happening happening, Duration now) = 0;
  /// A replica has all of its primary's data, up to this replication offset.
  virtual void OnInStep(int node, std::int64_t offset, Duration now) = 0;
  /// The server becomes the primary, with its data up to this offset.
  virtual void OnPromoted(int node, std::int64_t offset, Duration now) = 0;
  /// All consequences of one of these have been reported; `server` has the data.
  virtual void OnSettled(int node, redis::Server& server, Duration now) = 0;
};

}  // namespace interlock::sim
