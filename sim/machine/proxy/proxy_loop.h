// SPDX-License-Identifier: MIT
//
// The body of the proxy's process: one loop over poll.
//
// Thread safety: none; it has its process to itself.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <interlock/thread_runtime.h>
#include <interlock/time.h>

#include "sim/machine/proxy/fault_proxy.h"

namespace interlock::sim::machine {

struct ProxyListener {
  int fd = -1;
  int client = 0;
  int node = 0;
};

struct ProxyTask {
  std::vector<ProxyListener> listeners;
  std::vector<int> servers;  ///< their ports
  std::vector<RealFault> faults;
  int control = -1;  ///< ProxyRoutes come from here
  int strikes = -1;  ///< ProxyStrikes go there
};

class ProxyLoop {
 public:
  explicit ProxyLoop(ProxyTask task);

  /// Runs until the other end of `control` is closed.
  void Run();

 private:
  enum Direction : std::size_t { kToServer, kFromServer };

  struct Chunk {
    MonotonicTime due{};
    std::string bytes;
  };
  /// One direction of a connection.
  struct Stream {
    int from = -1;
    int to = -1;
    std::deque<Chunk> chunks;
    bool ended = false;   ///< nothing more arrives
    bool closed = false;  ///< the end was passed on
    bool silent = false;
  };
  struct Pair {
    int client = 0;
    int node = 0;
    std::array<Stream, 2> streams;
    std::optional<RealFault> at_reply;  ///< strikes when the next reply arrives
    std::optional<MonotonicTime> reset_at;
    bool broken = false;
  };

  bool TakeRoutes();
  void Accept(const ProxyListener& listener);
  void Read(Pair& pair, Direction direction);
  void OnRequest(Pair& pair, Chunk chunk);
  void OnReply(Pair& pair, Chunk chunk);
  std::optional<RealFault> NextFault(int client);
  void Strike(const RealFault& fault, Pair& pair, Chunk chunk);
  void Silence(Pair& pair, Direction direction);
  void Report(const RealFault& fault, MonotonicTime until);
  MonotonicTime HeldUntil(const Pair& pair, Direction direction) const;
  void Flush(Pair& pair, Direction direction);
  void Close(Pair& pair);
  int TimeoutMs();

  ThreadRuntime runtime_;
  ProxyTask task_;
  std::list<Pair> pairs_;
  std::vector<int> messages_;                             // per client, so far
  std::vector<std::array<MonotonicTime, 2>> held_until_;  // per client: its partition
};

}  // namespace interlock::sim::machine
