// SPDX-License-Identifier: MIT
#include "sim/machine/group_guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/format.h>

namespace interlock::sim::machine {

namespace {

// The guard was forked from a process that may have had threads, so what it does must be safe in a
// signal handler: no allocation, no opendir.
alignas(dirent64) std::array<char, 1 << 16> proc_entries;
std::array<char, 1 << 18> its_environment;

/// Of a process of this user's whose environment is not too large.
bool HasInItsEnvironment(pid_t pid, const char* mark) {
  std::array<char, 64> path{};
  fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/environ", pid);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t size = 0;
  while (size < its_environment.size()) {
    const ssize_t more = read(file, its_environment.data() + size, its_environment.size() - size);
    if (more <= 0) break;
    size += static_cast<std::size_t>(more);
  }
  close(file);
  return memmem(its_environment.data(), size, mark, std::strlen(mark) + 1) != nullptr;
}

}  // namespace

GroupGuard& GroupGuard::Get() {
  static GroupGuard guard;
  return guard;
}

GroupGuard::GroupGuard() : owner_(getpid()) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);  // as pids are used again
  std::snprintf(mark_.data(), mark_.size(), "INTERLOCK_GUARD=%d.%lld.%ld", owner_,
                static_cast<long long>(now.tv_sec), now.tv_nsec);
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
    // One may start another one meanwhile.
    for (int scans = 0; scans < 10 && KillMarked(); ++scans) continue;
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

bool GroupGuard::KillMarked() const {
  const int all = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool any = false;
  for (long size = 1; size > 0;) {
    size = syscall(SYS_getdents64, all, proc_entries.data(), proc_entries.size());
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(proc_entries.data() + at);
      at += entry->d_reclen;
      const pid_t pid = std::atoi(entry->d_name);  // 0: no process
      if (pid <= 1 || !HasInItsEnvironment(pid, mark())) continue;
      any = kill(pid, SIGKILL) == 0 || any;
    }
  }
  close(all);
  return any;
}

void GroupGuard::Replace(pid_t before, pid_t after) {
  if (groups_ == nullptr) return;
  for (std::atomic<pid_t>& group : *groups_) {
    pid_t expected = before;
    if (group.compare_exchange_strong(expected, after)) return;
  }
}

}  // namespace interlock::sim::machine
