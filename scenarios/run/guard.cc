// SPDX-License-Identifier: MIT
//
// Everything that a signal handler may use is prepared beforehand: fixed buffers per thread, and
// texts that never change after InstallGuard. The names are plain arrays that only their own thread
// writes and, in its handler, reads; the watchdog reads atomics, and the thread of a slot in use.
#include "scenarios/run/guard.h"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_kill
#include <unistd.h>

#include <fcntl.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "scenarios/cases/replay_token.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/forks.h"
#include "sim/carrier.h"
#include "sim/crashes.h"
#include "sim/posix/thread_locals.h"
#include "sim/tripwire.h"

namespace interlock::scenarios {
namespace {

constexpr std::size_t kMostThreads = 256;
constexpr int kLockAtFault = 1;
constexpr int kHarnessAtFault = 70;

/// A text in a fixed buffer, which cuts off what does not fit.
template <std::size_t N>
class FixedText {
 public:
  void Clear() { size_ = 0; }
  FixedText& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), N - size_);
    std::memcpy(buffer_.data() + size_, text.data(), count);
    size_ += count;
    return *this;
  }
  void AppendHex(std::uint64_t value, int least_digits) {
    std::array<char, 16> digits{};
    std::size_t count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value & 15U];
      value >>= 4;
    } while (value != 0 || count < static_cast<std::size_t>(least_digits));
    while (count > 0) *this << std::string_view(&digits[--count], 1);
  }
  std::string_view view() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, N> buffer_{};
  std::size_t size_ = 0;
};

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> running{false};
  std::atomic<std::uint64_t> runs{0};
  pthread_t thread{};
  FixedText<127> lock;
  FixedText<127> scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t run_seed = 0;
  std::string_view token;  ///< replaces the seed unless empty
  GuardPhase phase = GuardPhase::kRunning;
};

struct Guard {
  GuardOptions options;
  std::array<Slot, kMostThreads> slots;
  std::atomic<bool> dying{false};
};

// These are global because signal handlers need them, and leaked on purpose.
std::atomic<Guard*> the_guard{nullptr};
thread_local Slot* this_slot = nullptr;
const sim::posix::OfOsThread this_slot_is(&this_slot, sizeof(this_slot));

std::string_view Describe(int signal, const void* address) {
  switch (signal) {
    case kOverdue:
      return "made no progress: an endless loop";
    case SIGABRT:
      if (sim::TripwireReason() != nullptr) return kEscaped;
      [[fallthrough]];
    default:
      return sim::DescribeSignal(signal, address);
  }
}

void WritePartial(const GuardOptions& options, int fd, std::string_view reason) {
  SendAll(fd, options.partial_before);
  SendAll(fd, "\"");
  SendAll(fd, reason);  // made of names and fixed words: nothing to escape
  SendAll(fd, "\"");
  SendAll(fd, options.partial_after);
}

/// A packed run's token may have any length, so no part of it goes through a buffer.
void WriteReplayLine(const Slot& slot, std::string_view program) {
  if (slot.phase == GuardPhase::kShrinking) {
    SendAll(STDERR_FILENO, "the run that was being shrunk, not the smaller case itself:\n");
  }
  SendAll(STDERR_FILENO, "replay   ");
  SendAll(STDERR_FILENO, program);
  SendAll(STDERR_FILENO, " replay '");
  if (!slot.token.empty()) {
    SendAll(STDERR_FILENO, slot.token);
  } else {
    FixedText<512> token;
    token << "v2:" << slot.lock.view() << ":" << slot.scenario.view() << ":"
          << ToString(slot.synchrony) << ":r";
    token.AppendHex(slot.run_seed, 1);
    const std::uint32_t crc = TokenCheckSum(token.view());
    token << ":";
    token.AppendHex(crc, 8);
    SendAll(STDERR_FILENO, token.view());
  }
  SendAll(STDERR_FILENO, "'\n");
}

/// Leaves the reason in the box. The process that started this one reads it there and tells the
/// user.
[[noreturn]] void EndInBox(BlackBox& box, int signal, const void* address) {
  if (signal == kOverdue) {
    SendAll(STDERR_FILENO, "interlock: the lock makes no progress here:\n");
    sim::PrintBacktrace();  // if it cannot, the parent ends this process all the same
  }
  FixedText<512> reason;
  reason << Describe(signal, address);
  if (const char* function = sim::TripwireReason()) reason << " by calling " << function;
  box.NoteEnd(reason.view());
  _exit(kLockAtFault);
}

void HandleSignal(int signal, siginfo_t* info, void* /*context*/) {
  if (signal == kOverdue && sim::PassSignalOn(signal)) return;
  if (sim::IsOfACrash(signal)) sim::LeaveInTeardown(signal);
  Guard* guard = the_guard.load();
  if (guard->dying.exchange(true)) {
    for (;;) pause();  // another thread is already writing the last words
  }
  if (BlackBox* box = BlackBox::OfThisProcess()) EndInBox(*box, signal, info->si_addr);
  // An escape disarms the tripwire before it aborts.
  const bool in_task = sim::InsideTask() || sim::TripwireReason() != nullptr;
  FixedText<1024> reason;
  const bool in_run = this_slot != nullptr && this_slot->running.load();
  if (in_run) {
    const Slot& slot = *this_slot;
    reason << (in_task ? "the lock " : "the harness, while running ") << slot.lock.view() << " in "
           << slot.scenario.view() << " (class " << ToString(slot.synchrony) << ") "
           << Describe(signal, info->si_addr);
    if (slot.phase == GuardPhase::kShrinking) reason << " in a smaller case, while shrinking";
  } else {
    reason << "the harness " << Describe(signal, info->si_addr);
  }
  if (const char* function = sim::TripwireReason()) reason << " by calling " << function;
  SendAll(STDERR_FILENO, "\ninterlock: ");
  SendAll(STDERR_FILENO, reason.view());
  SendAll(STDERR_FILENO, "\n");
  if (in_run) WriteReplayLine(*this_slot, guard->options.program);
  const GuardOptions& options = guard->options;
  if (options.partial_to_stdout) WritePartial(options, STDOUT_FILENO, reason.view());
  if (!options.partial_path.empty()) {
    const int fd =
        open(options.partial_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0) {
      WritePartial(options, fd, reason.view());
      close(fd);
    }
  }
  _exit(in_task ? kLockAtFault : kHarnessAtFault);
}

[[noreturn]] void Watch(Guard& guard) {
  struct Seen {
    std::uint64_t runs = 0;
    std::chrono::steady_clock::time_point since;
  };
  std::array<Seen, kMostThreads> seen{};
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    const auto now = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kMostThreads; ++i) {
      Slot& slot = guard.slots[i];
      const std::uint64_t runs = slot.runs.load();
      if (!slot.taken.load() || !slot.running.load() || runs != seen[i].runs) {
        seen[i] = {runs, now};
      } else if (now - seen[i].since > guard.options.patience) {
        pthread_kill(slot.thread, kOverdue);
        seen[i].since = now;
      }
    }
  }
}

void Enter(std::string_view lock, std::string_view scenario, SynchronyClass synchrony,
           std::uint64_t run_seed, std::string_view token, GuardPhase phase) {
  if (this_slot == nullptr) return;
  this_slot->lock.Clear();
  this_slot->lock << lock;
  this_slot->scenario.Clear();
  this_slot->scenario << scenario;
  this_slot->synchrony = synchrony;
  this_slot->run_seed = run_seed;
  this_slot->token = token;
  this_slot->phase = phase;
  this_slot->running.store(true);
  GuardProgress();
}

}  // namespace

void InstallGuard(GuardOptions options) {
  auto* guard = new Guard;
  guard->options = std::move(options);
  the_guard.store(guard);
  struct sigaction action {};
  action.sa_sigaction = HandleSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, kOverdue}) {
    sigaction(signal, &action, nullptr);
  }
  std::thread([guard] { Watch(*guard); }).detach();
}

GuardedThread::GuardedThread() {
  Guard* guard = the_guard.load();
  if (guard == nullptr) return;
  for (Slot& slot : guard->slots) {
    bool expected = false;
    if (!slot.taken.compare_exchange_strong(expected, true)) continue;
    slot.thread = pthread_self();
    stack_.emplace();
    this_slot = &slot;
    return;
  }
}

GuardedThread::~GuardedThread() {
  if (this_slot == nullptr) return;
  this_slot->taken.store(false);
  this_slot = nullptr;
}

GuardedRun::GuardedRun(std::string_view lock, std::string_view scenario, SynchronyClass synchrony,
                       std::uint64_t run_seed, GuardPhase phase) {
  Enter(lock, scenario, synchrony, run_seed, {}, phase);
}

GuardedRun::GuardedRun(std::string_view lock, std::string_view scenario, SynchronyClass synchrony,
                       std::string_view token) {
  Enter(lock, scenario, synchrony, 0, token, GuardPhase::kRunning);
}

GuardedRun::~GuardedRun() {
  if (this_slot != nullptr) this_slot->running.store(false);
}

void GuardProgress() {
  if (this_slot != nullptr) this_slot->runs.fetch_add(1);
}

}  // namespace interlock::scenarios
