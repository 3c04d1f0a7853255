// SPDX-License-Identifier: MIT
//
// A campaign's last line of defence. When the code under test (or the harness itself) crashes,
// overflows a fiber's stack, aborts, escapes the simulation or spins endlessly, it prints the lock,
// the scenario and the replay command, leaves a partial run.json, and exits with 1 (the lock's
// fault) or 70 (ours). Runs on alternate stacks and calls only async-signal-safe functions.
//
// In a process with a black box (see black_box.h) it only notes the reason there, and ends: the
// parent process knows the rest and reports it. A thread without progress also prints its
// backtrace, which is not async-signal-safe.
//
// The watchdog counts real seconds, outside every hash: a run that exceeds the patience has left
// the simulation's control, because every seam call counts as progress towards a step limit.
//
// Thread safety: install once, from the main thread, before any GuardedThread exists.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/cases/synchrony.h"
#include "sim/handler_stack.h"

namespace interlock::scenarios {

/// Sent to a thread that makes no progress: it prints where it stands, and ends its process.
inline constexpr int kOverdue = SIGUSR2;

/// How a lock ended its process that called what it may not: the beginning of the reason.
inline constexpr std::string_view kEscaped = "escaped the simulation";

struct GuardOptions {
  std::chrono::seconds patience{30};    ///< real time that one run may take
  std::string program = "./interlock";  ///< command that calls this program, for replay lines
  /// The partial run.json, split where a JSON string with the reason belongs; written to
  /// `partial_path` (if not empty) and, with `partial_to_stdout`, to standard output.
  std::string partial_before = {};
  std::string partial_after = {};
  std::string partial_path = {};
  bool partial_to_stdout = false;
};

/// Installs the handlers and starts the watchdog; both live until the process ends.
void InstallGuard(GuardOptions options);

/// During its lifetime the calling thread is watched, and has an alternate signal stack.
class GuardedThread {
 public:
  GuardedThread();
  ~GuardedThread();
  GuardedThread(const GuardedThread&) = delete;
  GuardedThread& operator=(const GuardedThread&) = delete;

 private:
  std::optional<sim::HandlerStack> stack_;
};

/// What is being done with a guarded run.
enum class GuardPhase {
  kRunning,
  kShrinking,  ///< trying smaller cases; the replay line replays the original run
};

/// During its lifetime the calling thread is in this run. Names longer than 127 bytes are cut.
class GuardedRun {
 public:
  GuardedRun(std::string_view lock, std::string_view scenario, SynchronyClass synchrony,
             std::uint64_t run_seed, GuardPhase phase = GuardPhase::kRunning);
  /// A run that only its token describes. REQUIRES: `token` outlives this; it has no quotes.
  GuardedRun(std::string_view lock, std::string_view scenario, SynchronyClass synchrony,
             std::string_view token);
  ~GuardedRun();
  GuardedRun(const GuardedRun&) = delete;
  GuardedRun& operator=(const GuardedRun&) = delete;
};

/// Tells the watchdog that the calling thread begins another run of the same case.
void GuardProgress();

}  // namespace interlock::scenarios
