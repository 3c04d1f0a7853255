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

/// Written by whoever makes the key, before anybody else knows it.
struct Key {
  Destructor destroy = nullptr;
  std::uint32_t number = 0;  // of how many that had this place
};
constinit std::array<Key, kMostKeys> keys{};

pthread_t HandleOf(const ScheduledTask& task) { return task.ordinal + 1; }

}  // namespace

void NoteKey(pthread_key_t key, Destructor destroy) {
  if (key < kMostKeys) keys[key] = {destroy, keys[key].number + 1};
}

Threads::Thread& Threads::Of(const ScheduledTask& task) {
  if (threads_.size() <= task.ordinal) threads_.resize(task.ordinal + 1);
  std::unique_ptr<Thread>& thread = threads_[task.ordinal];
  if (thread == nullptr) {
    thread = std::make_unique<Thread>();
    thread->life = lives_;
  }
  return *thread;
}

ThreadLocals& Threads::LocalsOf(const ScheduledTask& task) {
  std::optional<ThreadLocals>& locals = Of(task).locals;
  if (!locals) locals.emplace();
  return *locals;
}

Threads::Thread& Threads::Own() { return Of(*parking_.current()); }

Threads::Thread* Threads::Find(pthread_t thread) {
  if (thread == 0 || thread > threads_.size()) return nullptr;
  Thread* const found = threads_[thread - 1].get();
  return found == nullptr || found->task == nullptr ? nullptr : found;
}

int Threads::Create(pthread_t* created, const pthread_attr_t* options, void* (*body)(void*),
                    void* argument) {
  // glibc tells it when a real thread begins; libstdc++ leaves out atomics and wake-ups until then.
  __libc_single_threaded = 0;
  int state = PTHREAD_CREATE_JOINABLE;
  if (options != nullptr) pthread_attr_getdetachstate(options, &state);
  ScheduledTask* const task = engine_.scheduler.AddTask(
      process_.id, "thread", [this, body, argument] { Own().result = body(argument); },
      engine_.now());
  task->name += " " + std::to_string(HandleOf(*task));
  Thread& thread = Of(*task);
  thread.task = task;
  thread.detached = state == PTHREAD_CREATE_DETACHED;
  *created = HandleOf(*task);
  parking_.Begins();
  return 0;
}

bool Threads::Run(const std::function<void()>& body) {
  bool returned = true;
  try {
    body();
  } catch (const ThreadExit&) {
    returned = false;  // Exit has set the result
  }
  End();
  return returned;
}

void* Threads::Take(Specific& specific, pthread_key_t key) {
  void* const value = std::exchange(specific.value, nullptr);
  return specific.key_number == keys[key].number ? value : nullptr;
}

void Threads::End() {
  Thread& own = Own();
  own.at_exit.Make();
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (pthread_key_t key = 0; key < own.specifics.size(); ++key) {
      void* const value = Take(own.specifics[key], key);
      const Destructor destroy = keys[key].destroy;
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
  own.specifics[key] = {const_cast<void*>(value), keys[key].number};
  return 0;
}

void* Threads::GetSpecific(pthread_key_t key) {
  const Thread& own = Own();
  if (key >= own.specifics.size()) return nullptr;
  const Specific& specific = own.specifics[key];
  return specific.key_number == keys[key].number ? specific.value : nullptr;
}

void Threads::AtExit(void (*destroy)(void*), void* object) { Own().at_exit.Add(destroy, object); }

}  // namespace interlock::sim::posix
