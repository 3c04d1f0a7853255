// SPDX-License-Identifier: MIT
//
// A jump out of a signal handler is defined only for a synchronous signal such as this one, which
// abort() raises on its own thread without holding a lock. The handler stays within its mask
// (SA_NODEFER), so the jump need not restore it.
#include "scenarios/run/program/landing.h"

#include <setjmp.h>  // NOLINT(modernize-deprecated-headers): sigsetjmp
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction

#include <mutex>
#include <string_view>

#include "sim/tripwire.h"

namespace interlock::scenarios {
namespace {

// Global because a signal handler needs them.
thread_local sigjmp_buf* landing = nullptr;  // where this thread's code jumps to
thread_local bool escaped = false;           // by the tripwire, which disarms itself
std::mutex handlers_mutex;
int handlers = 0;
struct sigaction action_before {};

void HandleAbort(int signal) {
  if (landing != nullptr) {
    escaped = !sim::InsideTask();
    siglongjmp(*landing, 1);
  }
  sigaction(signal, &action_before, nullptr);
  raise(signal);
}

/// Apart from Land, so that no object of it lives across the jump. Returns false if it jumped.
[[gnu::noinline]] bool CallOrJump(const std::function<void()>& code) {
  sigjmp_buf here;
  landing = &here;
  if (sigsetjmp(here, /*savemask=*/0) != 0) return false;
  code();
  return true;
}

class LandingEnds {
 public:
  LandingEnds() = default;
  ~LandingEnds() { landing = nullptr; }
  LandingEnds(const LandingEnds&) = delete;
  LandingEnds& operator=(const LandingEnds&) = delete;
};

}  // namespace

AbortHandler::AbortHandler() {
  const std::lock_guard<std::mutex> lock(handlers_mutex);
  if (handlers++ > 0) return;
  struct sigaction action {};
  action.sa_handler = HandleAbort;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, &action_before);
}

AbortHandler::~AbortHandler() {
  const std::lock_guard<std::mutex> lock(handlers_mutex);
  if (--handlers == 0) sigaction(SIGABRT, &action_before, nullptr);
}

std::string Land(const std::function<void()>& code) {
  const sim::TripwireScope no_escape(nullptr);
  const LandingEnds ends;
  if (CallOrJump(code)) return {};
  if (!escaped) return "aborted";
  return std::string("called ") + sim::TripwireReason() +
         "(), which tells what no run can repeat; expected a look at what it is shown alone";
}

}  // namespace interlock::scenarios
