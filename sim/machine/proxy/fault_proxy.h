// SPDX-License-Identifier: MIT
//
// A proxy between clients and servers on the loopback: a process that passes bytes on, and does to
// them what a network may. It listens on a port of its own for each client and server, so it knows
// whose bytes they are; bytes read together count as one message, which is what a client has sent,
// or a server has answered, in one go.
//
// Guarantee: a connection whose message was lost delivers nothing after it, as TCP would not, and
// is reset after kSilence, as keep-alive would in the end. The process ends with its object, and
// with the thread that made it. REQUIRES: the calling process has one thread. Thread safety: none.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "sim/machine/real_fault.h"

namespace interlock::sim::machine {

/// Above the time-out of one command, so that clients notice by themselves.
inline constexpr Duration kSilence = std::chrono::milliseconds(1500);

/// A fault of a link that came about, as it goes through the pipe.
struct ProxyStrike {
  RealFaultKind kind = RealFaultKind::kPartition;
  std::int32_t client = 0;
  std::int64_t at_ns = 0;
  std::int64_t until_ns = 0;  ///< when it is over at the latest
};

/// A route that new connections to a server take from now on.
struct ProxyRoute {
  std::int32_t node = 0;
  std::int32_t port = 0;
  bool reset = false;  ///< all that are there are reset
};

class FaultProxy {
 public:
  /// `faults`: only those of links count. kUnavailable: no socket, pipe or process.
  static Result<std::unique_ptr<FaultProxy>> Start(int clients, const std::vector<int>& servers,
                                                   std::vector<RealFault> faults);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  /// Where the client finds the server.
  int port(int client, int node) const;

  void Route(const ProxyRoute& route);

  /// What has come about since it was last asked.
  std::vector<ProxyStrike> Collect();

 private:
  FaultProxy() = default;

  std::size_t nodes_ = 0;
  std::vector<int> ports_;
  int control_ = -1;
  int strikes_ = -1;
  pid_t pid_ = -1;
};

}  // namespace interlock::sim::machine
