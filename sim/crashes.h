// SPDX-License-Identifier: MIT
//
// Lets code of a user that would end the whole program end alone: by abort, a crash (SIGSEGV,
// SIGBUS, SIGFPE, SIGILL), std::terminate, a failed assert, exit, quick_exit, or a call that
// escapes the simulation (tripwire.h). A task is left where it stands, and its world's Run returns
// kStopped, now and ever after; code outside of tasks is left by a jump back to where it was
// called.
//
// Guarantee: it is as repeatable as all else in a run. Non-guarantees: the code's own objects are
// not destroyed, so their memory is lost; what it had locked stays locked, and what it has
// overwritten stays overwritten, so after a wild write the program may end all the same, with a
// hint on standard error. _exit is caught in code as it was compiled only, and nothing catches an
// endless loop; with ThreadSanitizer tasks are not caught at all, and with AddressSanitizer what it
// reports ends the program. Thread safety: may be used by several threads at once, each with its
// own worlds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/handler_stack.h"

namespace interlock::sim {

class Scheduler;

/// Whether the signal is one of those that this catches.
bool IsOfACrash(int signal);
/// The type of the exception that is being handled. REQUIRES: there is one.
std::string ThrownType();
/// "crashed (SIGSEGV)". `address`: what a SIGSEGV was about. Safe in a signal handler.
std::string_view DescribeSignal(int signal, const void* address);

/// During its lifetime the calling thread is in the scheduler's Run or TearDown.
class RunsTasks {
 public:
  explicit RunsTasks(Scheduler* scheduler);
  ~RunsTasks();
  RunsTasks(const RunsTasks&) = delete;
  RunsTasks& operator=(const RunsTasks&) = delete;

 private:
  Scheduler* const before_;
};

/// During its lifetime such ends are caught on the calling thread, otherwise not. May be nested,
/// and costs little inside of another one.
class CrashHandler {
 public:
  /// `prints`: also prints to standard error where a task stood.
  explicit CrashHandler(bool prints = false);
  ~CrashHandler();
  CrashHandler(const CrashHandler&) = delete;
  CrashHandler& operator=(const CrashHandler&) = delete;

 private:
  const bool printed_before_;
  std::optional<HandlerStack> stack_;
};

/// How code ended.
struct CodeEnd {
  std::string how;       ///< "aborted", "called exit(1)"
  bool escaped = false;  ///< `how` is the name of a function that no simulated code may call
  int process = -1;      ///< the task's; -1: it was none
};

/// How a task has ended since this was last asked; nullopt: none has ended so.
std::optional<CodeEnd> TakeCrash();

/// Calls `code`, which must not wait, as part of the simulation; nullopt: it returned. What it
/// throws is thrown on.
std::optional<CodeEnd> Land(const std::function<void()>& code);

/// For a handler of such a signal: leaves the running task for good if it is one of code as it was
/// compiled, in teardown, where its calls fail as they never would; else returns.
void LeaveInTeardown(int signal);

/// If the calling code's end is to be caught: ends it. For functions that would end the program.
void EndAlone(std::string_view how);

}  // namespace interlock::sim
