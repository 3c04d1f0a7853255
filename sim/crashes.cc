// SPDX-License-Identifier: MIT
//
// A jump out of a signal handler is defined only for a synchronous signal such as these, which the
// code itself causes on its own thread; abort() raises its one without holding a lock. The handler
// stays within its mask (SA_NODEFER), so leaving it by a jump need not restore that.
#include "sim/crashes.h"

#include <cxxabi.h>
#include <setjmp.h>  // NOLINT(modernize-deprecated-headers): sigsetjmp
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "sim/fiber.h"
#include "sim/posix/thread_locals.h"
#include "sim/scheduler.h"
#include "sim/tripwire.h"
#include "sim/world.h"

namespace interlock::sim {

namespace {

constexpr std::string_view kOutside =
    "interlock: a crash outside of simulated clients. Has one of them overwritten memory? "
    "AddressSanitizer tells where\n";
constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// Of one thread; a handler writes to it, so it is of fixed size.
struct Catching {
  Scheduler* scheduler = nullptr;  // that runs tasks
  int handlers = 0;                // CrashHandlers that live
  bool prints = false;
  sigjmp_buf* landing = nullptr;  // where the code under Land jumps to
  bool caught = false;
  bool escaped = false;
  int process = -1;
  std::array<char, 512> how{};

  void Note(std::string_view text) {
    how[text.copy(how.data(), how.size() - 1)] = '\0';
    // An escape disarms the tripwire before it aborts.
    escaped = !InsideTask();
    if (escaped && TripwireReason() != nullptr) {
      const std::string_view function = TripwireReason();
      how[function.copy(how.data(), how.size() - 1)] = '\0';
    }
  }
  CodeEnd Told() const { return {how.data(), escaped, process}; }
};

constinit thread_local Catching catching;
const posix::OfOsThread catching_is(&catching, sizeof(catching));

std::mutex handlers_mutex;
int handlers = 0;  // of all threads
std::array<struct sigaction, kSignals.size()> actions_before{};
std::terminate_handler terminate_before = nullptr;

/// Returns only if nobody catches it.
void EndHere(std::string_view how) {
  if (catching.landing != nullptr) {
    catching.Note(how);
    siglongjmp(*catching.landing, 1);
  }
  Scheduler* const scheduler = catching.scheduler;
  if (catching.handlers == 0 || !TripwireIsArmed() || scheduler == nullptr) return;
  const ScheduledTask* const task = scheduler->current();
  if (task == nullptr) return;
  // In teardown everything fails, and what the code makes of that is no news.
  if (!scheduler->tearing_down()) {
    catching.Note(how);
    catching.caught = true;
    catching.process = task->group;
    if (catching.prints && !catching.escaped) PrintBacktrace();
  }
  scheduler->Desert(StopReason::kStopped);
}

void HandleSignal(int signal, siginfo_t* info, void* /*context*/) {
  EndHere(DescribeSignal(signal, info->si_addr));
  if (catching.handlers > 0) {
    [[maybe_unused]] const auto told = write(STDERR_FILENO, kOutside.data(), kOutside.size());
  }
  const auto* const one = std::ranges::find(kSignals, signal);
  sigaction(signal, &actions_before[static_cast<std::size_t>(one - kSignals.begin())], nullptr);
  // What the processor has signalled it does again.
  if (info->si_code <= 0) raise(signal);
}

/// std::terminate was called for the exception that is being handled, if there is one.
void EndForTerminate() {
  if (std::current_exception() == nullptr) return EndHere("called std::terminate");
  const std::string how = "let an exception of type " + ThrownType() + " escape";
  try {
    throw;
  } catch (const std::exception& error) {
    EndHere(how + ": " + error.what());
  } catch (...) {
    EndHere(how);
    std::abort();
  }
}

[[noreturn]] void HandleTerminate() {
  if (catching.handlers > 0) EndForTerminate();
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

void Install() {
  struct sigaction action {};
  action.sa_sigaction = HandleSignal;
  action.sa_flags = SA_NODEFER | SA_ONSTACK | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &actions_before[i]);
  }
  terminate_before = std::set_terminate(HandleTerminate);
}

void Uninstall() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &actions_before[i], nullptr);
  }
  std::set_terminate(terminate_before);
}

/// Apart from Land, so that no object of it lives across the jump. Returns false if it jumped.
[[gnu::noinline]] bool CallOrJump(const std::function<void()>& code) {
  sigjmp_buf here;
  catching.landing = &here;
  if (sigsetjmp(here, /*savemask=*/0) != 0) return false;
  code();
  return true;
}

class LandingEnds {
 public:
  LandingEnds() = default;
  ~LandingEnds() { catching.landing = nullptr; }
  LandingEnds(const LandingEnds&) = delete;
  LandingEnds& operator=(const LandingEnds&) = delete;
};

}  // namespace

bool IsOfACrash(int signal) { return std::ranges::count(kSignals, signal) > 0; }

std::string ThrownType() {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(abi::__cxa_current_exception_type()->name(), nullptr, nullptr, &failed),
      &std::free);
  return failed == 0 ? name.get() : "unknown type";
}

std::string_view DescribeSignal(int signal, const void* address) {
  switch (signal) {
    case SIGABRT:
      return "aborted";
    case SIGSEGV:
      return IsFiberGuardPage(address) ? "overflowed its stack: an endless recursion"
                                       : "crashed (SIGSEGV)";
    case SIGBUS:
      return "crashed (SIGBUS)";
    case SIGFPE:
      return "crashed (SIGFPE)";
    case SIGILL:
      return "crashed (SIGILL)";
    default:
      return "crashed";
  }
}

RunsTasks::RunsTasks(Scheduler* scheduler)
    : before_(std::exchange(catching.scheduler, scheduler)) {}
RunsTasks::~RunsTasks() { catching.scheduler = before_; }

CrashHandler::CrashHandler(bool prints) : printed_before_(catching.prints) {
  catching.prints = prints;
  if (catching.handlers++ > 0) return;
  stack_.emplace();
  const std::lock_guard<std::mutex> lock(handlers_mutex);
  if (handlers++ == 0) Install();
}

CrashHandler::~CrashHandler() {
  catching.prints = printed_before_;
  if (--catching.handlers > 0) return;
  const std::lock_guard<std::mutex> lock(handlers_mutex);
  if (--handlers == 0) Uninstall();
}

std::optional<CodeEnd> TakeCrash() {
  if (!catching.caught) return std::nullopt;
  catching.caught = false;
  return catching.Told();
}

std::optional<CodeEnd> Land(const std::function<void()>& code) {
  const TripwireScope no_escape(nullptr);
  const LandingEnds ends;
  if (CallOrJump(code)) return std::nullopt;
  catching.process = -1;
  return catching.Told();
}

void LeaveInTeardown(int signal) {
  Scheduler* const scheduler = catching.scheduler;
  if (scheduler == nullptr || !scheduler->tearing_down() || ServingLibrary() == nullptr) return;
  // The handler is not returned from.
  sigset_t its;
  sigemptyset(&its);
  sigaddset(&its, signal);
  sigprocmask(SIG_UNBLOCK, &its, nullptr);
  scheduler->Desert(StopReason::kStopped);
}

void EndAlone(std::string_view how) {
  const bool catches = catching.landing != nullptr || catching.handlers > 0;
  if (catches) EndHere(how);
}

}  // namespace interlock::sim
