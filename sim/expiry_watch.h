// SPDX-License-Identifier: MIT
//
// Records the moments at which keys expired in a trace that keeps its events, for readers of the
// trace. It looks at all keys after every change, so it works only then. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/servers.h"
#include "sim/trace.h"

namespace interlock::sim {

class ExpiryWatch {
 public:
  /// `node`: the server that is watched.
  explicit ExpiryWatch(int node) : node_(node) {}
  /// Notes every known deadline up to now as kExpired, at the moment when it passed.
  void Before(Trace& trace, const Servers& servers, VirtualTime now);
  /// Learns the deadlines of `database` as they are after a command.
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
