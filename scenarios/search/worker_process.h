// SPDX-License-Identifier: MIT
//
// This very program once more, as a process of its own that runs blocks of runs on request: its
// addresses, its uninitialised memory and its hash seeds are others, and a crash there is no crash
// here.
//
// A request and its answer are a line each, over a pair of pipes: see reports/shard_report.h. The
// process serves until its input ends.
//
// Thread safety: none; one request at a time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <interlock/result.h>

#include "reports/shard_report.h"

namespace interlock::scenarios {

class WorkerProcess {
 public:
  /// kUnavailable: it cannot be started.
  static Result<std::unique_ptr<WorkerProcess>> Start();
  /// Ends its input and waits for its end.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// kUnavailable: it has died, it refused, or what it said cannot be read.
  Result<reports::ShardBlock> Run(const reports::BlockRequest& request);

 private:
  WorkerProcess(pid_t pid, int in, int out) : pid_(pid), in_(in), out_(out) {}
  std::optional<std::string> ReadLine();

  const pid_t pid_;
  const int in_;   // where requests are written to
  const int out_;  // where answers come from
  std::string unread_;
};

}  // namespace interlock::scenarios
