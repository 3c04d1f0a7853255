// SPDX-License-Identifier: MIT
//
// A client in any language, as a process of its own: started, looked at, stopped, killed.
//
// Guarantee: its whole process group is gone with the object, and the process itself with the
// thread that started it (the kernel kills it then). What it prints goes into memory, and never
// onto our output. REQUIRES: the calling process has one thread, because a fork copies no other.
// Thread safety: none. Source: proc(5), for what a process does without being asked.
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

  /// kInvalidArgument: there is no such program, or it cannot be executed; kUnavailable: the system
  /// gave no process. REQUIRES: `command` is not empty.
  static Result<std::unique_ptr<ForeignProcess>> Start(const std::vector<std::string>& command,
                                                       const Environment& environment);
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// Looks whether it has ended.
  bool ended();
  /// The exit code after it has ended: 0 if it said that all went well; a signal's number plus 128.
  int exit_code() const { return exit_code_; }

  /// How often its threads, and those of its descendants, have given up the processor; nullopt: one
  /// of them runs, or waits for a disk. Twice the same: nothing has happened in between.
  std::optional<std::uint64_t> Switches(const std::vector<int>& but_threads) const;

  /// A thread of any process runs, or waits for a disk.
  static bool Runs(int thread);

  /// All its programs, and those of its descendants, have a file of that name in their memory.
  bool HasMapped(std::string_view name) const;

  /// The processor time that it and its living descendants have had.
  Duration ProcessorTime() const;

  void Stop();      ///< SIGSTOP to the group
  void Continue();  ///< SIGCONT to the group
  void Kill();      ///< SIGKILL to the group; returns when the process is gone
  bool stopped() const { return stopped_; }

  /// The last bytes that it has printed, on stdout and stderr.
  std::string OutputTail(std::size_t bytes) const;

 private:
  ForeignProcess(pid_t pid, int output) : pid_(pid), output_(output) {}

  const pid_t pid_;
  const int output_;  // a file in memory
  bool ended_ = false;
  bool stopped_ = false;
  int exit_code_ = 0;
};

}  // namespace interlock::sim::machine
