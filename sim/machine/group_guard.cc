// SPDX-License-Identifier: MIT
#include "sim/machine/group_guard.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>

namespace interlock::sim::machine {

GroupGuard& GroupGuard::Get() {
  static GroupGuard guard;
  return guard;
}

GroupGuard::GroupGuard() : owner_(getpid()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  void* const shared =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) {
    groups_ = new (shared) Table{};
    guard_ = fork();
  }
  if (guard_ == 0) {
    // Calls only what is safe in a signal handler, as this process may have other threads.
    setpgid(0, 0);
    dup2(ends[0], STDIN_FILENO);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    // Nobody shall wait for the end of a pipe that is open here.
    close_range(STDERR_FILENO + 1, ~0U, 0);
    char none = 0;
    while (read(STDIN_FILENO, &none, 1) < 0 && errno == EINTR) {
    }
    KillAll();
    _exit(0);
  }
  close(ends[0]);
  pipe_ = ends[1];
}

// Without waiting for the end of the pipe, which a fork of this process may hold.
GroupGuard::~GroupGuard() {
  if (getpid() != owner_ || guard_ <= 0) return;
  KillAll();
  kill(guard_, SIGKILL);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void GroupGuard::KillAll() const {
  for (const std::atomic<pid_t>& group : *groups_) {
    if (const pid_t one = group.load(); one > 1) kill(-one, SIGKILL);
  }
}

void GroupGuard::Replace(pid_t before, pid_t after) {
  if (groups_ == nullptr) return;
  for (std::atomic<pid_t>& group : *groups_) {
    pid_t expected = before;
    if (group.compare_exchange_strong(expected, after)) return;
  }
}

}  // namespace interlock::sim::machine
