// SPDX-License-Identifier: MIT
//
// Process groups that end with this process, even if that is by SIGKILL: a small process waits for
// the end of a pipe, which the kernel closes with its writer, and then kills them, and what has
// left them (setsid) and still has the guard's mark in its environment. The kernel's own means,
// PR_SET_PDEATHSIG, reaches only direct children, and not what these have started (sh -c, npm).
//
// Non-guarantees: after a SIGKILL that lives on which has left its group and was started with
// another environment; of more than 256 groups at a time the others are not guarded. Thread safety:
// none.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>

namespace interlock::sim::machine {

class GroupGuard {
 public:
  /// That of this process, which begins with the first call.
  static GroupGuard& Get();

  void Add(pid_t group) { Replace(0, group); }
  void Remove(pid_t group) { Replace(group, 0); }
  /// A variable for the environment of what is guarded: NAME=VALUE. Lives as long as the guard.
  const char* mark() const { return mark_.data(); }

  ~GroupGuard();
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;

 private:
  using Table = std::array<std::atomic<pid_t>, 256>;

  GroupGuard();
  void Replace(pid_t before, pid_t after);
  void KillAll() const;
  /// Whether there was any.
  bool KillMarked() const;

  Table* groups_ = nullptr;  // shared with the other process; null: there is none
  int pipe_ = -1;
  pid_t guard_ = -1;
  const pid_t owner_;
  std::array<char, 64> mark_{};
};

}  // namespace interlock::sim::machine
