// SPDX-License-Identifier: MIT
//
// A measurement on real servers in wall time: each client is a thread, or a process, with its own
// connections. Events in the server are not visible, so their figures are absent, and no faults are
// injected.
//
// Safety: keys only under a random prefix of this run, all removed at the end, even after an
// interruption. Thread safety: one measurement at a time.
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

struct Target {
  /// URLs, separated by commas; "spawn": start as many servers as a lock needs.
  std::string redis;
  bool allow_remote = false;
  bool processes = false;  ///< each client is a process; otherwise a thread of this process
};

class WallBench {
 public:
  /// Starts the servers, if requested. kInvalidArgument: a URL; kUnavailable: a server was not
  /// reached or could not be started. `most` servers are needed at once.
  static Result<std::unique_ptr<WallBench>> Open(const Target& target, int most);

  /// The servers' URLs, without passwords.
  const std::string& backend() const { return backend_; }

  /// kInvalidArgument: it needs more servers than there are; kUnavailable: they cannot be reached.
  Result<Measured> Measure(const harness::Subject& subject, int clients, const Load& load,
                           std::uint64_t seed, const std::atomic<bool>* stop);

  /// Removes all keys of this run; on failure the rest expire with their TTLs.
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

}  // namespace interlock::scenarios::contend
