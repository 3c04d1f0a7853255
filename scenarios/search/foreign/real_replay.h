// SPDX-License-Identifier: MIT
//
// Replays a case of foreign clients on real servers: the clients as they are, by the machine's
// clock, without any library of ours in them, through a relay that only holds their commands back
// until it is their turn in the case. See run/foreign/real/README.md.
//
// Safety: servers that were not started here must be on this machine and have no keys; the keys
// that clients make there are removed. Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "reports/run_report.h"

namespace interlock::scenarios::drive {

struct RealReplayOptions {
  std::string redis = "spawn";            ///< or URLs, one for each master, separated by commas
  std::vector<std::string> command = {};  ///< of other clients; empty: those of the case
  std::uint64_t times = 5;
  Duration longest = std::chrono::seconds(300);  ///< a case that takes longer is not replayed
  const std::atomic<bool>* stop = nullptr;       ///< null: nobody stops it
  /// Called before each try with the number of those made, and of all.
  std::function<void(std::uint64_t, std::uint64_t)> progress = [](std::uint64_t, std::uint64_t) {};
};

struct RealReplay {
  std::string server;            ///< "Redis 7.0.15 of its own"; empty: none was needed
  std::uint64_t tries = 0;       ///< made to the end
  std::uint64_t reproduced = 0;  ///< in which the case's property was violated
  std::uint64_t commands = 0;    ///< let through in the last one
  std::string sentence;          ///< what the first such violation was
  std::string difference;  ///< what came first in the first try that did not; empty: nothing seen
  std::vector<std::string> others;  ///< sentences: other properties that were violated
  std::string impossible;  ///< why no real server can be made to do it; empty: it was tried
};

/// `example`: of `interlock drive`. kInvalidArgument: it is not, or the command cannot be run, or a
/// server is not on this machine, has keys, or is not one for each master; kUnavailable: a server
/// cannot be reached or started, or is older than Redis 7.0.
Result<RealReplay> ReplayOnRealServer(const reports::Counterexample& example,
                                      const RealReplayOptions& options);

}  // namespace interlock::scenarios::drive
