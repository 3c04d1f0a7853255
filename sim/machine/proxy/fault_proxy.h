// SPDX-License-Identifier: MIT
//
// A proxy between clients and servers on the loopback: a process that forwards bytes, and does to
// them what a network may. It has a port for each client and server, so it knows whose bytes they
// are; bytes read together count as one message, as a client sends, or a server answers, in one go.
//
// Guarantee: a connection whose message was lost delivers nothing after it, as TCP would not, and
// is reset after kSilence, as keepalive would eventually do. The process ends with its object, and
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

/// Longer than the timeout of one command, so that clients notice by themselves.
inline constexpr Duration kSilence = std::chrono::milliseconds(1500);

/// A link fault that took effect, as sent through the pipe.
struct ProxyStrike {
  RealFaultKind kind = RealFaultKind::kPartition;
  std::int32_t client = 0;
  std::int64_t at_ns = 0;
  std::int64_t until_ns = 0;  ///< the latest time at which it ends
};

/// A route for new connections to a server from now on.
struct ProxyRoute {
  std::int32_t node = 0;
  std::int32_t port = 0;
  bool reset = false;  ///< reset all existing ones
};

class FaultProxy {
 public:
  /// `faults`: only link faults count. kUnavailable: no socket, pipe or process.
  static Result<std::unique_ptr<FaultProxy>> Start(int clients, const std::vector<int>& servers,
                                                   std::vector<RealFault> faults);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  /// Where the client finds the server.
  int port(int client, int node) const;

  void Route(const ProxyRoute& route);

  /// Faults that took effect since the last call.
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
