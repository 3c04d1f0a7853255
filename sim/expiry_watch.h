// SPDX-License-Identifier: MIT
//
// Records when keys expired in a trace that keeps its events, for readers of the trace. It scans
// all keys after every change, so it is active only then. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/servers.h"
#include "sim/trace.h"

namespace interlock::sim {

class ExpiryWatch {
 public:
  /// `node`: the watched server.
  explicit ExpiryWatch(int node) : node_(node) {}
  /// Adds each known deadline up to now as a kExpired event, at the moment it passed.
  void Before(Trace& trace, const Servers& servers, VirtualTime now);
  /// Learns the deadlines in `database` after a command.
  void After(const redis::Server& server, int database);
  /// The data may have changed without any command.
  void Forget() { deadlines_.clear(); }

 private:
  struct Deadline {
    int database;
    std::string key;
    std::int64_t at_ms;
  };
  int node_;
  std::vector<Deadline> deadlines_;
  std::uint64_t mutations_ = 0;
};

}  // namespace interlock::sim
