// SPDX-License-Identifier: MIT
//
// The threads of one process, as pthread_create(3p) and its companions have them: tasks of the
// scheduler, so that their order is drawn and explored as the order of clients is. A task that the
// harness starts in the process is such a thread, too.
//
// A thread is known by a small number that no other of its process has had. Each call returns 0 or
// an errno. Thread safety: none; one world, one OS thread.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/posix/exit_calls.h"
#include "sim/posix/parking.h"
#include "sim/posix/thread_locals.h"

namespace interlock::sim::posix {

/// Ends a thread from inside: pthread_exit. Code under test must not swallow it.
struct ThreadExit {};

class Threads {
 public:
  Threads(Engine& engine, Process& process, Parking& parking)
      : engine_(engine), process_(process), parking_(parking) {}

  /// Runs the body of the current task, in which it may call Exit; then calls what AtExit and the
  /// keys have for it. Whether the body returned.
  bool Run(const std::function<void()>& body);
  /// Of a task that shares its OS thread with others.
  ThreadLocals& LocalsOf(const ScheduledTask& task);
  /// How often the process had begun anew when the task was made.
  std::size_t LifeOf(const ScheduledTask& task) { return Of(task).life; }
  std::size_t OwnLife() { return Own().life; }
  /// The running task is from now on one of that life.
  void BelongTo(std::size_t life) { Own().life = life; }

  /// In teardown the thread has ended before it began: std::thread throws at any error.
  int Create(pthread_t* created, const pthread_attr_t* options, void* (*body)(void*),
             void* argument);
  /// ESRCH, EDEADLK, EINVAL as join(3p) has them; ETIMEDOUT. YIELDS.
  int Join(pthread_t thread, void** result, MonotonicTime deadline = kNever);
  int Detach(pthread_t thread);
  pthread_t Self();
  [[noreturn]] void Exit(void* result);
  int SetName(pthread_t thread, const char* name);
  /// Of the running thread, of those since Forget: the first one has 0.
  std::uint32_t Ordinal() const { return parking_.current()->ordinal - first_ordinal_; }
  /// The process begins anew.
  void Forget() {
    first_ordinal_ = static_cast<std::uint32_t>(threads_.size());
    ++lives_;
  }

  /// pthread_setspecific: ENOMEM never.
  int SetSpecific(pthread_key_t key, const void* value);
  void* GetSpecific(pthread_key_t key);
  /// Calls `destroy` with the object when the running thread ends, latest first.
  void AtExit(void (*destroy)(void*), void* object);

 private:
  /// A value of a key that has been deleted is none.
  struct Specific {
    void* value = nullptr;
    std::uint32_t key_number = 0;
  };

  struct Thread {
    ScheduledTask* task = nullptr;  // null: not one of Create's
    std::size_t life = 0;
    void* result = nullptr;
    bool detached = false;
    bool joined = false;
    std::optional<ThreadLocals> locals;
    std::vector<Specific> specifics;  // by key
    ExitCalls at_exit;
  };

  void End();
  void* Take(Specific& specific, pthread_key_t key);
  Thread& Of(const ScheduledTask& task);
  Thread& Own();
  Thread* Find(pthread_t thread);

  Engine& engine_;
  Process& process_;
  Parking& parking_;
  std::vector<std::unique_ptr<Thread>> threads_;  // by ScheduledTask::ordinal
  std::uint32_t first_ordinal_ = 0;
  std::size_t lives_ = 0;
};

/// What pthread_key_create was given for the new key; null: nothing. Keys are the whole program's.
void NoteKey(pthread_key_t key, void (*destroy)(void*));

}  // namespace interlock::sim::posix
