// SPDX-License-Identifier: MIT
//
// The escape tripwire. Code under test that reads a real clock, sleeps, opens a socket or starts a
// thread makes a run depend on more than its tape, so that no verdict about it is valid. So these C
// library functions end the program, with a backtrace, when called by a task of a running world:
//   clock_gettime gettimeofday time nanosleep clock_nanosleep getrandom getentropy pthread_create
//   poll epoll_wait connect send recv std::random_device
// A task of a process that has a C library of its own (posix/library.h) is served by that instead.
// Outside tasks they work as usual.
//
// Not with ThreadSanitizer, whose own interceptors need these names. Thread safety: all state is
// per thread.
#pragma once

namespace interlock::sim {

namespace posix {
class Library;
}

/// Whether the interposing functions are part of this build.
bool TripwireIsArmed();

/// Marks the calling thread as inside a task during its lifetime. Made by the scheduler. `library`
/// serves the task; null: nothing does.
class TripwireScope {
 public:
  explicit TripwireScope(posix::Library* library);
  ~TripwireScope();
  TripwireScope(const TripwireScope&) = delete;
  TripwireScope& operator=(const TripwireScope&) = delete;

 private:
  bool before_;
  posix::Library* served_before_;
};

/// Lets the current task call them where that cannot affect behaviour: logging, allocator
/// internals. Must not be alive across a wait.
class TripwireExemption {
 public:
  TripwireExemption();
  ~TripwireExemption();
  TripwireExemption(const TripwireExemption&) = delete;
  TripwireExemption& operator=(const TripwireExemption&) = delete;

 private:
  bool before_;
};

/// Whether the calling thread is in a task of a running world, so that the code under test is to
/// blame for a failure. Safe in a signal handler.
bool InsideTask();

/// The function that ended the program on this thread ("clock_gettime"), or null: lets a SIGABRT
/// handler tell an escape from other aborts. Safe in a signal handler.
const char* TripwireReason();

/// What serves the running task; null: nothing does, or no task runs.
posix::Library* ServingLibrary();

/// Prints to standard error where the calling code stands. In a signal handler it may wait for
/// ever: the first call loads a library.
void PrintBacktrace();

/// Ends the program if a task runs that may not call the function.
void CheckEscape(const char* function);

}  // namespace interlock::sim
