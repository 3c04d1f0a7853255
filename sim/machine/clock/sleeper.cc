// SPDX-License-Identifier: MIT
#include "sim/machine/clock/sleeper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/machine/clock/blocking.h"
#include "sim/machine/clock/template.h"

namespace interlock::sim::machine {
namespace {

// High enough to stay out of the way of programs that count their descriptors, and low enough for
// select().
constexpr int kLeastDescriptor = 700;
constexpr std::int64_t kNapNs = 500'000;

// Null until the constructor has run: other libraries' constructors may ask for the time before
// that.
SharedClock* clock_page = nullptr;
pthread_key_t at_thread_end;
thread_local Sleeper* my_sleeper = nullptr;
thread_local int my_socket = -1;

void GiveBack(void* sleeper) {
  static_cast<Sleeper*>(sleeper)->thread = 0;
  my_sleeper = nullptr;
  if (my_socket >= 0) Ask(SYS_close, my_socket);
  my_socket = -1;
}

/// A forked child's thread is not its parent's, and does not take over the parent's sleeper.
void ForgetParent() {
  if (my_socket >= 0) Ask(SYS_close, my_socket);
  my_socket = -1;
  my_sleeper = nullptr;
  PublishNothing();
  if (clock_page != nullptr) pthread_setspecific(at_thread_end, nullptr);
}

bool OpenPage(const char* name) {
  const int file = open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool taken = TakePage(file);
  close(file);
  return taken;
}

/// What a copy starts has the template's environment; its page, though, is the copy's.
bool FollowCopy(const char* name) {
  const char* slash = strrchr(name, '/');
  const std::int32_t page = clock_page->copy_page;
  if (slash == nullptr || page < 0) return true;
  char other[64];
  const int length = snprintf(other, sizeof other, "%.*s/%d", static_cast<int>(slash - name), name,
                              static_cast<int>(page));
  return length > 0 && length < static_cast<int>(sizeof other) && OpenPage(other);
}

__attribute__((constructor)) void Attach() {
  const char* name = getenv(kClockVariable);
  if (name == nullptr || pthread_key_create(&at_thread_end, GiveBack) != 0) return;
  if (!OpenPage(name) || !FollowCopy(name)) return;
  pthread_atfork(nullptr, nullptr, ForgetParent);
  BecomeTemplate();
}

Sleeper* Mine() {
  if (my_sleeper != nullptr) return my_sleeper;
  const auto thread = static_cast<std::int32_t>(Ask(SYS_gettid));
  std::int32_t slots = 0;
  for (Sleeper& one : clock_page->sleepers) {
    ++slots;
    std::int32_t free = 0;
    if (!one.thread.compare_exchange_strong(free, thread)) continue;
    std::int32_t before = clock_page->slots;
    while (before < slots && !clock_page->slots.compare_exchange_weak(before, slots)) {
    }
    one.process = static_cast<std::int32_t>(Ask(SYS_getpid));
    my_sleeper = &one;
    pthread_setspecific(at_thread_end, &one);
    return my_sleeper;
  }
  return nullptr;
}

int MakeSocket(std::int32_t thread) {
  const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  const int high = fcntl(made, F_DUPFD_CLOEXEC, kLeastDescriptor);
  const int result = high >= 0 ? high : made;
  if (high >= 0) Ask(SYS_close, made);
  sockaddr_un address;
  const socklen_t size = WakeAddress(thread, address);
  if (bind(result, reinterpret_cast<const sockaddr*>(&address), size) == 0) return result;
  Ask(SYS_close, result);
  return -1;
}

}  // namespace

SharedClock* Clock() { return clock_page; }

bool TakePage(int file) {
  void* page = mmap(nullptr, sizeof(SharedClock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return false;
  if (clock_page != nullptr) munmap(clock_page, sizeof(SharedClock));
  clock_page = static_cast<SharedClock*>(page);
  TellKernelTimer();
  return true;
}

std::int64_t NowNs() {
  clock_page->readings.fetch_add(1, std::memory_order_relaxed);
  return clock_page->now_ns;
}

long Ask(long number, long a, long b, long c, long d, long e, long f) {
  using Function = long (*)(long, ...);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "syscall"));
  return original(number, a, b, c, d, e, f);
}

std::int64_t DeadlineNs(std::int64_t length_ns) {
  const std::int64_t now_ns = NowNs();
  if (length_ns <= 0) return now_ns - 1;
  return length_ns > kNoWakeUp - now_ns ? kNoWakeUp : now_ns + length_ns;
}

Wait::Wait(std::int64_t until_ns, WakeBy by) : until_ns_(until_ns), sleeper_(Mine()) {
  if (sleeper_ == nullptr) return;
  sleeper_->by = by;
  sleeper_->woken = 0;
  sleeper_->since_ns = clock_page->now_ns.load();
  sleeper_->until_ns = until_ns;
  ++clock_page->waits;
}

Wait::~Wait() {
  if (sleeper_ != nullptr) sleeper_->until_ns = kNoWakeUp;
}

bool Wait::Sleep() {
  const Blocking blocking;
  while (!over()) {
    long slept = 0;
    sleeper_ != nullptr ? blocking.Waits(WaitPhase::kSleeps) : blocking.Hides();
    if (sleeper_ != nullptr) {
      slept = Ask(SYS_futex, Word(&sleeper_->woken), FUTEX_WAIT, 0);
    } else {
      const timespec nap = FromNs(kNapNs);
      slept = Ask(SYS_nanosleep, Word(&nap));
    }
    if (slept < 0 && errno == EINTR) return false;
  }
  return true;
}

int Wait::descriptor() {
  if (sleeper_ != nullptr && my_socket < 0) my_socket = MakeSocket(sleeper_->thread);
  return my_socket;
}

void Wait::TakeWakeUps() {
  char byte = 0;
  while (Ask(SYS_recvfrom, my_socket, Word(&byte), 1, MSG_DONTWAIT) >= 0) {
  }
  // The program may have closed all descriptors that it does not know.
  if (errno != EAGAIN) my_socket = -1;
}

}  // namespace interlock::sim::machine
