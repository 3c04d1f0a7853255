// SPDX-License-Identifier: MIT
//
// The static variables of a simulated process, from its start to its end: those of the shared
// objects of code under test (objects.h), which each process has for itself, as it would have by
// itself. While a task runs its process's variables stand where the objects have them, so pointers
// to them stay right; what the objects initialise at their start they initialise in each process,
// in its first task.
//
// Non-guarantee: what is linked into the program itself, or belongs to it as a unique symbol
// (inline variables that the program has, too), all processes share. Internal to sim/posix. Thread
// safety: none; the variables are the whole program's, so OneAtATime must be held.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <mutex>
#include <vector>

#include "sim/posix/exit_calls.h"

namespace interlock::sim::posix {

class Statics {
 public:
  Statics();
  /// For the process's first task: initialises the objects, unless that was done. YIELDS if their
  /// code does.
  void Initialise();
  /// __cxa_atexit: false if `object` is none of these objects', so the program is to do it.
  bool AtExit(void (*destroy)(void*), void* argument, const void* object);
  /// A key that the process has made goes with it, unless it is kept in a variable of the program,
  /// which all processes share. `at`: where it is kept.
  void OwnKey(pthread_key_t key, const void* at);
  void DisownKey(pthread_key_t key) { std::erase(keys_, key); }
  /// Does what AtExit was told, latest first, then what the objects have for their end, those that
  /// were initialised last first (exit(3) and elf(5)'s DT_FINI_ARRAY). YIELDS if that does.
  void Exit() {
    at_exit_.Make();
    exited_ = true;
  }
  bool exited() const { return exited_; }

  /// Whether code or data at this address belong to one of the objects.
  static bool IsUnderTest(const void* address);
  /// Puts these in place, until others are; null: those of the program. REQUIRES: those in place
  /// live.
  static void PutInPlace(Statics* wanted);
  ~Statics();
  Statics(const Statics&) = delete;
  Statics& operator=(const Statics&) = delete;

  /// Held by a world with such processes, if there are such objects; else empty.
  static std::unique_lock<std::recursive_mutex> OneAtATime();

 private:
  void Exchange();

  bool initialised_ = false;
  bool exited_ = false;
  std::vector<std::byte> kept_;
  ExitCalls at_exit_;
  std::vector<pthread_key_t> keys_;
};

}  // namespace interlock::sim::posix
