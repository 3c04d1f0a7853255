// SPDX-License-Identifier: MIT
//
// A client in any language as a process of its own: started, inspected, stopped, killed.
//
// Guarantee: its whole process group is gone with the object, and the process itself with the
// thread that started it (the kernel kills it then). Its output goes to memory, never to our
// output. REQUIRES: the calling process has one thread, because a fork copies no other. Thread
// safety: none. Source: proc(5), for observing a process without its cooperation.
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
  static Result<std::unique_ptr<ForeignProcess>> Start(const std::vector<std::string>& command,
                                                       const Environment& environment);
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// Checks whether it has ended.
  bool ended();
  /// The exit code after it has ended: 0 for success; a signal's number plus 128.
  int exit_code() const { return exit_code_; }

  /// Number of context switches of its threads and its descendants'; nullopt: one of them is
  /// running, or waits for a disk. An unchanged number means that nothing ran in between.
  std::optional<std::uint64_t> Switches(const std::vector<int>& but_threads) const;

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

  /// The last bytes of its output, on stdout and stderr.
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
