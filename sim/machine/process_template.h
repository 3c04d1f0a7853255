// SPDX-License-Identifier: MIT
//
// A client whose process is started once, stops where it first connects to a server (or where it
// does so after it has said that it is ready, see scenarios/run/foreign/words.h), and is copied
// there for each run: starting an interpreter costs a hundred times more than what follows. See
// clock/template.cc for what happens inside of it.
//
// Guarantee: a copy goes on as a started process would, with the same readings of the clock and the
// same random numbers of the system. Non-guarantee: its process number is another one than before
// the copy, and Ruby seeds `rand` anew; what it read or wrote before stands for all runs, with the
// offsets of its open files, so a clock that is wrong from the client's start is wrong from the
// connect on only. A program cannot be copied that has by then several threads or processes, or
// shares an epoll, a pipe or another socket with its copies, or that waits for a time before it
// connects, or cannot be given a clock.
//
// The template ends with the object, and with the thread that made it. Thread safety: none. Source:
// fork(2).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "sim/machine/foreign_process.h"
#include "sim/machine/virtual_clock.h"

namespace interlock::sim::machine {

class ProcessTemplate {
 public:
  struct Servers {
    int count = 1;
    int sentinels = 0;  ///< how many of them, the last ones
    /// The client makes so many connections before the one where it stops, to these ports, at which
    /// it is served until then.
    std::uint64_t connects = 0;
    std::vector<int> ports = {};
  };
  /// Starts the client's command with a clock of its own, `clock`, at places of these servers.
  /// Fails as Launch does. `clock` must outlive the object.
  static Result<std::unique_ptr<ProcessTemplate>> Start(const std::vector<std::string>& command,
                                                        int client, const Servers& servers,
                                                        const VirtualClock& clock);
  ~ProcessTemplate();
  ProcessTemplate(const ProcessTemplate&) = delete;
  ProcessTemplate& operator=(const ProcessTemplate&) = delete;

  /// Waits until it has stopped at its connect, until then or `stop`, and calls `meanwhile` again
  /// and again. Returns why it cannot be copied; empty: it can.
  std::string AwaitConnect(
      std::chrono::steady_clock::time_point limit, const std::atomic<bool>& stop,
      const std::function<void()>& meanwhile = [] {});

  /// A copy that finds its servers at `ports`, and lives by `clock`. kUnavailable: no process.
  /// REQUIRES: AwaitConnect() has returned that it can; the copy before has ended; `ports` are as
  /// many as the servers.
  Result<std::unique_ptr<ForeignProcess>> Copy(const std::vector<int>& ports, VirtualClock& clock);

 private:
  ProcessTemplate(int client, const VirtualClock& clock) : client_(client), clock_(clock) {}

  const int client_;
  const VirtualClock& clock_;
  bool is_served_ = false;           // before it stops
  std::vector<int> ports_;           // at which it looks for servers
  std::vector<int> places_;          // sockets that keep these from being used
  VirtualClock::Standing standing_;  // at its first connect
  int control_ = -1;
  std::unique_ptr<ForeignProcess> process_;
};

}  // namespace interlock::sim::machine
