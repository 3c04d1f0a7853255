// SPDX-License-Identifier: MIT
#include "sim/posix/threads.h"

#include <limits.h>
#include <sys/single_threaded.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace interlock::sim::posix {

namespace {

using Destructor = void (*)(void*);

// As often as glibc runs the destructors of keys, which may set keys anew.
constexpr int kRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
constexpr std::size_t kMostKeys = PTHREAD_KEYS_MAX;

// Constant while worlds run, but for keys that code under test makes itself.
constinit std::array<Destructor, kMostKeys> key_destructors{};

pthread_t HandleOf(const ScheduledTask& task) { return task.ordinal + 1; }

}  // namespace

void SetKeyDestructor(pthread_key_t key, Destructor destroy) {
  if (key < kMostKeys) key_destructors[key] = destroy;
}

Threads::Thread& Threads::Of(const ScheduledTask& task) {
  if (threads_.size() <= task.ordinal) threads_.resize(task.ordinal + 1);
  std::unique_ptr<Thread>& thread = threads_[task.ordinal];
  if (thread == nullptr) thread = std::make_unique<Thread>();
  return *thread;
}

Threads::Thread& Threads::Own() { return Of(*parking_.current()); }

Threads::Thread* Threads::Find(pthread_t thread) {
  if (thread == 0 || thread > threads_.size()) return nullptr;
  Thread* const found = threads_[thread - 1].get();
  return found == nullptr || found->task == nullptr ? nullptr : found;
}

int Threads::Create(pthread_t* created, const pthread_attr_t* options, void* (*body)(void*),
                    void* argument) {
  // Guards of function statics take a second thread inside of one for a mistake of the first
  // otherwise, as nothing here makes glibc see threads.
  __libc_single_threaded = 0;
  int state = PTHREAD_CREATE_JOINABLE;
  if (options != nullptr) pthread_attr_getdetachstate(options, &state);
  ScheduledTask* const task = engine_.scheduler.AddTask(
      process_.id, "thread",
      [this, body, argument] {
        try {
          Own().result = body(argument);
        } catch (const ThreadExit&) {
          // Exit has set the result.
        }
      },
      engine_.now());
  task->name += " " + std::to_string(HandleOf(*task));
  Thread& thread = Of(*task);
  thread.task = task;
  thread.detached = state == PTHREAD_CREATE_DETACHED;
  *created = HandleOf(*task);
  parking_.Begins();
  return 0;
}

void Threads::End() {
  Thread& own = Own();
  while (!own.at_exit.empty()) {
    const Destruction last = own.at_exit.back();
    own.at_exit.pop_back();
    last.destroy(last.object);
  }
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (std::size_t key = 0; key < own.specifics.size(); ++key) {
      void* const value = std::exchange(own.specifics[key], nullptr);
      const Destructor destroy = key_destructors[key];
      if (value == nullptr || destroy == nullptr) continue;
      destroy(value);
      any = true;
    }
    if (!any) return;
  }
}

int Threads::Join(pthread_t thread, void** result, MonotonicTime deadline) {
  Thread* const found = Find(thread);
  if (found == nullptr) return ESRCH;
  if (found->detached || found->joined) return EINVAL;
  if (found->task == parking_.current()) return EDEADLK;
  if (!engine_.Join(process_, *found->task, deadline, /*may_throw=*/false)) {
    return parking_.tearing_down() ? EINTR : ETIMEDOUT;
  }
  found->joined = true;
  if (result != nullptr) *result = found->result;
  return 0;
}

int Threads::Detach(pthread_t thread) {
  Thread* const found = Find(thread);
  if (found == nullptr) return ESRCH;
  return std::exchange(found->detached, true) ? EINVAL : 0;
}

pthread_t Threads::Self() { return HandleOf(*parking_.current()); }

void Threads::Exit(void* result) {
  Own().result = result;
  throw ThreadExit{};
}

int Threads::SetName(pthread_t thread, const char* name) {
  Thread* const found = Find(thread);
  if (found != nullptr) found->task->name = name;
  return 0;
}

int Threads::SetSpecific(pthread_key_t key, const void* value) {
  if (key >= kMostKeys) return EINVAL;
  Thread& own = Own();
  if (own.specifics.size() <= key) own.specifics.resize(key + 1);
  own.specifics[key] = const_cast<void*>(value);
  return 0;
}

void* Threads::Specific(pthread_key_t key) {
  const Thread& own = Own();
  return key < own.specifics.size() ? own.specifics[key] : nullptr;
}

void Threads::AtExit(void (*destroy)(void*), void* object) {
  Own().at_exit.push_back({destroy, object});
}

}  // namespace interlock::sim::posix
