// SPDX-License-Identifier: MIT
//
// One client of a measurement in wall time, with its own connections: in a thread of this process,
// or in a process of its own. Thread safety: each by itself.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/thread_runtime.h>

#include "scenarios/log/event.h"
#include "scenarios/run/load/client.h"

namespace interlock::scenarios::contend {

class WallClient {
 public:
  /// `runtime` outlives it.
  WallClient(ThreadRuntime& runtime, const std::vector<HiredisOptions>& servers, ClientTask task);

  /// Not ok: the servers cannot be reached, so it cannot run.
  const Status& failure() const { return failure_; }

  /// Returns when the load's time is over, or task.stop is set.
  void Run();

  /// REQUIRES: Run has returned.
  EventLog TakeLog() { return std::move(log_); }

 private:
  ThreadRuntime& runtime_;
  const ClientTask task_;
  std::vector<std::unique_ptr<Connector>> connectors_;
  Status failure_;
  std::mutex mutex_;  // a lock may send from tasks of its own
  EventLog log_;
};

/// Runs each client in a process of its own; returns their logs, concatenated. Processes end with
/// this one. When `stop` is set they are asked to end, and their logs may be incomplete. REQUIRES:
/// this process has one thread, because a fork copies no other. kUnavailable: a process could not
/// be started, or ended abnormally.
Result<EventLog> RunInProcesses(const std::vector<HiredisOptions>& servers,
                                const std::vector<ClientTask>& tasks,
                                const std::atomic<bool>* stop);

}  // namespace interlock::scenarios::contend
