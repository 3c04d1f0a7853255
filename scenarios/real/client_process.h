// SPDX-License-Identifier: MIT
//
// The clients of a workload as processes of their own, and what they report over a pipe.
//
// Guarantee: no process outlives its ClientProcesses object, nor the thread that started it (the
// kernel kills it then). A client that dies by plan is killed with SIGKILL, so no destructor of it
// reaches the server. All instants are ThreadRuntime's, one clock for all processes of the machine.
// REQUIRES: the calling process has one thread, because a fork copies no other.
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/latch_program.h"
#include "scenarios/real/real_plan.h"
#include "scenarios/workload.h"

namespace interlock::scenarios::real {

enum class EventKind : std::uint8_t {
  kAsk,
  kRefused,
  kGranted,
  kEnter,
  kLeave,
  kExtend,
  kExtended,
  kRelease,
  kReleased,
  kCountDown,
  kAnswered,  ///< of a latch: to a count down or a wait
  kDied,      ///< by plan; the last thing that the client does
  kEnded,     ///< its operations are done
};

/// One event as it goes through the pipe: fixed size, no pointers, written at once.
struct EventRecord {
  EventKind kind = EventKind::kAsk;
  Ask ask = Ask::kTry;                  ///< kAsk
  StatusCode status = StatusCode::kOk;  ///< kRefused, kExtended, kReleased, kAnswered
  bool shared = false;                  ///< kAsk
  std::int32_t client = 0;
  std::int32_t party = 0;  ///< kCountDown
  std::int64_t at_ns = 0;
  std::int64_t valid_until_ns = 0;  ///< kGranted, kExtended
  std::uint64_t commands = 0;       ///< that the client has sent until now
};

/// What one client process is to do.
struct ClientTask {
  int client = 0;
  const harness::Subject* subject = nullptr;
  harness::LockOptions options;
  HiredisOptions redis;
  ClientPlan plan;
  std::optional<Death> death;
  std::optional<LateComer> late_comer = std::nullopt;  ///< of a latch: comes to see it open
};

class ClientProcesses {
 public:
  ClientProcesses() = default;
  ~ClientProcesses();
  ClientProcesses(const ClientProcesses&) = delete;
  ClientProcesses& operator=(const ClientProcesses&) = delete;

  /// Starts one process for each task; they begin to work together, once all are there. May be
  /// called again. kUnavailable: the system gave no pipe or process; those that were started are
  /// killed.
  Status Start(const std::vector<ClientTask>& tasks);

  /// Waits up to `at_most` for news, and takes in what there is.
  void Collect(Duration at_most);

  /// How many have not ended.
  int running() const;

  /// SIGSTOP or SIGCONT to the client's process; false: it has ended.
  bool Signal(int client, int signal);

  /// Kills and reaps all that still run, and takes in what they had reported.
  void KillAll();

  /// In the order in which they arrived; of one client, in the order of time.
  const std::vector<EventRecord>& records() const { return records_; }

  /// A process that ended otherwise than it should have; empty: none did.
  const std::string& failure() const { return failure_; }

 private:
  struct Process {
    pid_t pid = -1;  ///< -1: reaped
    int client = 0;
    bool finished = false;  ///< has reported kDied or kEnded
  };

  Status OpenPipe();
  void Drain();
  void Reap();
  void NoteEnd(const Process& process, int wait_status);

  int report_read_ = -1;
  int report_write_ = -1;
  std::vector<Process> processes_;
  std::vector<EventRecord> records_;
  std::string failure_;
};

}  // namespace interlock::scenarios::real
