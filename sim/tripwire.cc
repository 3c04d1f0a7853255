// SPDX-License-Identifier: MIT
#include "sim/tripwire.h"

#include <execinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "sim/posix/interposers.h"
#include "sim/posix/thread_locals.h"

namespace interlock::sim {

namespace {

thread_local bool armed = false;
thread_local posix::Library* serving = nullptr;
thread_local const char* escape_reason = nullptr;
const posix::OfOsThread armed_is(&armed, sizeof(armed));
const posix::OfOsThread serving_is(&serving, sizeof(serving));
const posix::OfOsThread reason_is(&escape_reason, sizeof(escape_reason));

void Print(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

}  // namespace

TripwireScope::TripwireScope(posix::Library* library)
    : before_(std::exchange(armed, true)), served_before_(std::exchange(serving, library)) {}
TripwireScope::~TripwireScope() {
  armed = before_;
  serving = served_before_;
}
TripwireExemption::TripwireExemption() : before_(std::exchange(armed, false)) {}
TripwireExemption::~TripwireExemption() { armed = before_; }

// The scheduler makes TripwireScopes, and this refers to the interposers: so a static link brings
// them into every program that runs worlds.
bool TripwireIsArmed() { return posix::kInterposed; }

bool InsideTask() { return armed; }

const char* TripwireReason() { return escape_reason; }

posix::Library* ServingLibrary() { return armed ? serving : nullptr; }

void PrintBacktrace() {
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

void CheckEscape(const char* function) {
  if (!armed) [[likely]] {
    return;
  }
  const bool served = serving != nullptr;
  armed = false;
  escape_reason = function;
  Print("interlock sim: code under test escaped the simulation through ");
  Print(function);
  Print(served ? "(), which the simulated C library does not have. Called from:\n"
               : "(); use the Runtime and the Connector instead. Called from:\n");
  PrintBacktrace();
  std::abort();
}

}  // namespace interlock::sim
