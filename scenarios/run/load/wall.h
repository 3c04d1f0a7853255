// SPDX-License-Identifier: MIT
//
// A measurement on real servers in wall time: each client is a thread, or a process, with
// connections of its own. What happens in the server is not seen, so its figures are absent, and
// faults are not staged.
//
// Safety: keys only under a random prefix of this run, all of them removed at the end, after an
// interruption too. Thread safety: one measurement at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/thread_runtime.h>

#include "scenarios/run/load/simulated.h"
#include "sim/machine/key_sweeper.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios::contend {

/// How many servers a lock by quorum is measured on, if they are ours.
inline constexpr int kSpawnedServers = 5;

struct Target {
  /// URLs, separated by commas; "spawn": servers of our own, as many as a lock needs.
  std::string redis;
  bool allow_remote = false;
  bool processes = false;  ///< each client is one; else a thread of this process
};

class WallBench {
 public:
  /// Starts the servers, if they are to be ours. kInvalidArgument: a URL; kUnavailable: a server
  /// was not reached, or none can be started. `most` servers are needed at once.
  static Result<std::unique_ptr<WallBench>> Open(const Target& target, int most);

  /// The servers' URLs, without passwords.
  const std::string& backend() const { return backend_; }

  /// kInvalidArgument: it needs more servers than there are; kUnavailable: they cannot be reached.
  Result<Measured> Measure(const harness::Subject& subject, int clients, const Load& load,
                           std::uint64_t seed, const std::atomic<bool>* stop);

  /// Removes all keys of this run; not ok: what is left ends with its TTLs.
  Status Sweep();

 private:
  WallBench() = default;

  ThreadRuntime runtime_;
  std::vector<std::unique_ptr<sim::machine::RedisServer>> own_;
  std::vector<HiredisOptions> servers_;
  std::vector<std::unique_ptr<sim::machine::KeySweeper>> sweepers_;
  std::string prefix_;
  std::string backend_;
  bool processes_ = false;
  int points_ = 0;
};

/// How many servers the lock asks.
int ServersFor(const harness::Subject& subject);

}  // namespace interlock::scenarios::contend
