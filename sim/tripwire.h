// SPDX-License-Identifier: MIT
//
// The escape tripwire. Code under test that reads a real clock, sleeps, opens a socket or starts a
// thread makes a run depend on something else than its tape, and no verdict about it would mean
// anything. So these functions of the C library end the program, with a backtrace, when they are
// called by a task of a running world:
//   clock_gettime gettimeofday time nanosleep clock_nanosleep getrandom getentropy pthread_create
//   poll epoll_wait connect send recv
// Outside of tasks they are what they always are. std::random_device is not caught.
//
// Not in sanitizer builds: there these names belong to the sanitizer's own interceptors.
// Thread safety: all state is per thread.
#pragma once

namespace interlock::sim {

/// Whether the interposing functions are part of this build.
bool TripwireIsArmed();

/// Inside a task for as long as it lives. Made by the scheduler.
class TripwireScope {
 public:
  TripwireScope();
  ~TripwireScope();
  TripwireScope(const TripwireScope&) = delete;
  TripwireScope& operator=(const TripwireScope&) = delete;

 private:
  bool before_;
};

/// Lets the current task call them, for what cannot reach behaviour: logging, allocator internals.
/// Must not be alive across a wait.
class TripwireExemption {
 public:
  TripwireExemption();
  ~TripwireExemption();
  TripwireExemption(const TripwireExemption&) = delete;
  TripwireExemption& operator=(const TripwireExemption&) = delete;

 private:
  bool before_;
};

/// Whether the calling thread is in a task of a running world: the code under test is then to blame
/// for what goes wrong. Safe in a signal handler.
bool InsideTask();

/// The function that ended the program on this thread ("clock_gettime"), or null: for a SIGABRT
/// handler, which can then tell an escape from other aborts. Safe in a signal handler.
const char* TripwireReason();

}  // namespace interlock::sim
