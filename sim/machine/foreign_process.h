// SPDX-License-Identifier: MIT
//
// A client in any language as a process of its own: started, inspected, stopped, killed.
//
// Guarantee: its whole process group is gone with the object, and the process itself with the
// thread that started it (the kernel kills it then), or with the template that it is a copy of;
// what has left the group to live on (setsid) ends with the object, too. Its output goes to memory,
// never to our output. None of its files may exceed 64 MiB (RLIMIT_FSIZE), so that it cannot fill
// the memory: with its output full it ends as by SIGXFSZ, even if it ignores that. REQUIRES: the
// calling process has one thread, because a fork copies no other. Thread safety: none. Source:
// proc(5), for observing a process without its cooperation.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::sim::machine {

class ForeignProcess {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// kInvalidArgument: there is no such program, or it cannot be executed; kUnavailable: no process
  /// could be created. REQUIRES: `command` is not empty.
  /// `passed`: a descriptor that the process inherits; -1: none.
  static Result<std::unique_ptr<ForeignProcess>> Start(const std::vector<std::string>& command,
                                                       const Environment& environment,
                                                       int passed = -1);
  /// Makes a file in memory for a process's output; -1: none can be had.
  static int MakeOutput();

  /// A copy that a template has made (see process_template.h). `reports`: a socket that says when
  /// the copy has ended; `output`: its file. Both are closed with the object.
  ForeignProcess(pid_t pid, int output, int reports);
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Checks whether it has ended.
  bool ended();
  bool seen_to_end() const { return ended_; }
  /// Waits until it has ended, for at most that long.
  void AwaitEnd(Duration at_most);
  /// The exit code after it has ended: 0 for success; a signal's number plus 128.
  int exit_code() const { return exit_code_; }

  /// What its threads, and its descendants', have done so far.
  struct Activity {
    std::uint64_t switches = 0;  ///< of contexts; if unchanged, nothing has run in between
    bool alone = true;           ///< it is one thread, which nobody but us can wake
  };
  /// nullopt: one of them is running, or waits for a disk.
  std::optional<Activity> ActivityOf(const std::vector<int>& but_threads) const;

  /// Whether a thread of any process is running, or waits for a disk.
  static bool Runs(int thread);

  /// Whether all its programs, and its descendants', have mapped a file of that name.
  bool HasMapped(std::string_view name) const;

  /// Processor time used by it and its living descendants.
  Duration ProcessorTime() const;

  void Stop();      ///< SIGSTOP to the group
  void Continue();  ///< SIGCONT to the group
  void Kill();      ///< SIGKILL to the group; returns when the process is gone
  bool stopped() const { return stopped_; }
  /// Whether it does something when it is continued after a stop.
  bool CatchesContinue() const;

  /// The last bytes of its output, on stdout and stderr.
  std::string OutputTail(std::size_t bytes) const;

 private:
  /// Returns whether it has ended, and takes note of how.
  bool TakeEnd(bool wait);
  /// What it has started ends with it.
  void EndGroup();
  bool HasFilledItsOutput() const;

  const pid_t pid_;
  const int output_;   // a file in memory
  const int reports_;  // -1: it is a child of this process
  int handle_ = -1;    // of the process, made when it is awaited
  bool ended_ = false;
  bool stopped_ = false;
  int exit_code_ = 0;
};

}  // namespace interlock::sim::machine
