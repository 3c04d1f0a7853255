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
    const int nothing = open("/dev/null", O_RDWR);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, file);
    close(ends[1]);
    char none = 0;
    while (read(ends[0], &none, 1) < 0 && errno == EINTR) {
    }
    for (const std::atomic<pid_t>& group : *groups_) {
      if (const pid_t one = group.load(); one > 1) kill(-one, SIGKILL);
    }
    _exit(0);
  }
  close(ends[0]);
  pipe_ = ends[1];
}

GroupGuard::~GroupGuard() {
  if (getpid() != owner_ || guard_ <= 0) return;
  close(pipe_);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
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
