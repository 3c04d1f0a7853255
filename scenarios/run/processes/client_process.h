// SPDX-License-Identifier: MIT
//
// The clients of a workload as separate processes, and what they report over a pipe, in the
// lines of an event log (see log_file.h).
//
// Guarantee: no process outlives its ClientProcesses object, nor the thread that started it (the
// kernel kills it then). A client that dies by plan is killed with SIGKILL, so none of its
// destructors reaches the server. All instants are on ThreadRuntime's clock, shared by all
// processes of the machine. REQUIRES: the calling process has one thread, because a fork copies no
// other. Thread safety: none.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/result.h>
#include <interlock/thread_runtime.h>
#include <interlock/time.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/event.h"
#include "scenarios/run/latch_program.h"
#include "scenarios/run/processes/real_fault.h"
#include "scenarios/run/processes/real_plan.h"
#include "sim/machine/stage.h"

namespace interlock::scenarios::real {

/// What one client process is to do.
struct ClientTask {
  int client = 0;
  const harness::Subject* subject = nullptr;
  harness::LockOptions options;
  sim::machine::ClientWay way;
  ClientPlan plan;
  std::optional<Death> death;
  std::vector<sim::machine::RealFault> pauses = {};    ///< those of this client
  std::optional<LateComer> late_comer = std::nullopt;  ///< for a latch: comes to see it open
};

class ClientProcesses {
 public:
  ClientProcesses() = default;
  ~ClientProcesses();
  ClientProcesses(const ClientProcesses&) = delete;
  ClientProcesses& operator=(const ClientProcesses&) = delete;

  /// Starts one process per task; they begin to work together once all are there. May be called
  /// again. kUnavailable: no pipe or process could be created; processes already started are
  /// killed.
  Status Start(const std::vector<ClientTask>& tasks);

  /// Waits up to `at_most` for reports, reads them, and resumes processes whose pause is over.
  void Collect(Duration at_most);

  /// Number of clients that have not ended.
  int running() const;

  /// Kills and reaps all running clients, and reads their last reports.
  void KillAll();

  /// In order of arrival; those of one client are in order of time. Instants are on ThreadRuntime's
  /// clock.
  const EventLog& events() const { return events_; }

  /// Describes a process that ended abnormally; empty: none did.
  const std::string& failure() const { return failure_; }

 private:
  struct Process {
    pid_t pid = -1;  ///< -1: reaped
    int client = 0;
    bool finished = false;  ///< has reported kDied or kEnded
    bool stopped = false;   ///< stands still
    VirtualTime goes_on{};  ///< when it resumes
  };

  Status OpenPipe();
  void Drain();
  void Take(std::string_view line);
  void Reap();
  void LetGoOn();
  void NoteEnd(const Process& process, int wait_status);

  int report_read_ = -1;
  int report_write_ = -1;
  std::vector<Process> processes_;
  std::string unread_;  // the beginning of a line whose end has not arrived
  EventLog events_;
  std::string failure_;
  ThreadRuntime runtime_;  // for its clock
};

}  // namespace interlock::scenarios::real
