// SPDX-License-Identifier: MIT
#include "sim/machine/clock/blocking.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

/// A folder's links are itself, its name, and its folders: one for each thread.
constexpr nlink_t kLinksOfOneThread = 3;

std::atomic<std::int32_t> publisher = 0;  // this process, if it publishes
std::atomic<bool> has_kernel_timer = false;

class ErrnoKeeper {
 public:
  ~ErrnoKeeper() { errno = before_; }

 private:
  const int before_ = errno;
};

void Publish(WaitPhase phase, std::uint32_t more = 0) {
  WaitWord& wait = Clock()->wait;
  wait.word = WordOf(NumberOf(wait.word) + more, phase);
  if (phase == WaitPhase::kRuns || phase == WaitPhase::kLooks) return;
  if (wait.watched.load() == 0) return;
  const ErrnoKeeper keeper;
  Ask(SYS_futex, Word(&wait.word), FUTEX_WAKE, INT_MAX);
}

/// Cheaper than IsAlone(), but does not know of threads that the C library has not made.
bool SeemsSingleThreaded() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return true;
#endif
}

/// Whether nobody but the calling thread can act for the client, nor end its waits.
bool IsAlone() {
  if (has_kernel_timer || Ask(SYS_getpid) != publisher) return false;
  struct stat tasks {};
  if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != kLinksOfOneThread) return false;
  siginfo_t child{};
  const long found =
      Ask(SYS_waitid, P_ALL, 0, Word(&child), WEXITED | WNOHANG | WNOWAIT | __WALL, 0);
  return found < 0 && errno == ECHILD;
}

__attribute__((destructor)) void PublishEnd() {
  const ErrnoKeeper keeper;
  if (publisher != 0 && Ask(SYS_getpid) == publisher) Publish(WaitPhase::kEnds);
}

}  // namespace

void BeginToPublish() {
  if (Clock() == nullptr || publisher != 0 || !SeemsSingleThreaded()) return;
  const ErrnoKeeper keeper;
  const auto own = static_cast<std::int32_t>(Ask(SYS_getpid));
  std::int32_t first = 0;
  if (Clock()->wait.process.compare_exchange_strong(first, own) || first == own) publisher = own;
}

bool Publishes() {
  if (publisher == 0) return false;
  if (SeemsSingleThreaded()) return true;
  if (publisher.exchange(0) != 0) Publish(WaitPhase::kHidden, 1);
  return false;
}

void PublishNothing() { publisher = 0; }

void NoteKernelTimer() {
  has_kernel_timer = true;
  TellKernelTimer();
}

void TellKernelTimer() {
  if (has_kernel_timer && Clock() != nullptr) Clock()->kernel_timer = true;
}

Blocking::Blocking(bool may) : publishes_(may && Publishes()) {
  if (publishes_) Publish(WaitPhase::kLooks, 1);
}

Blocking::~Blocking() {
  if (publishes_) Publish(WaitPhase::kRuns);
}

void Blocking::Waits(WaitPhase phase) const {
  if (!publishes_) return;
  const ErrnoKeeper keeper;
  Publish(IsAlone() ? phase : WaitPhase::kHidden);
}

void Blocking::Hides() const {
  if (publishes_) Publish(WaitPhase::kHidden);
}

}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

void _exit(int status) {
  if (drive::publisher != 0) drive::PublishEnd();
  for (;;) drive::Ask(SYS_exit_group, status);
}

}  // extern "C"
