// SPDX-License-Identifier: MIT
//
// What no simulated process has: it would leave the world, or act upon a real thread.
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kRefusedCalls[] = "refused";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <aio.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <vector>

#include "sim/crashes.h"
#include "sim/posix/refused_calls.h"

using interlock::sim::posix::kWithAsan;
using interlock::sim::posix::Refuse;
using interlock::sim::posix::RefuseOn;
using interlock::sim::posix::Serving;

namespace {

/// From the first to the null pointer that ends them.
std::vector<char*> ArgumentsOf(const char* first, va_list& rest) {
  std::vector<char*> arguments;
  for (const char* one = first; one != nullptr; one = va_arg(rest, const char*)) {
    arguments.push_back(const_cast<char*>(one));
  }
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

extern "C" {

#define REFUSE_IT(result, name, parameters, arguments, exceptions) \
  result name parameters exceptions {                              \
    Refuse(#name);                                                 \
    return REAL(name) arguments;                                   \
  }
INTERLOCK_REFUSED_CALLS(REFUSE_IT)

#define REFUSE_IT_ON(result, name, parameters, arguments, exceptions) \
  result name parameters exceptions {                                 \
    RefuseOn(a, #name);                                               \
    return REAL(name) arguments;                                      \
  }
INTERLOCK_REFUSED_ON_DESCRIPTORS(REFUSE_IT_ON)

// A child that shares this frame's stack would return from it first, so it gets one of its own.
pid_t vfork() noexcept {
  Refuse("vfork");
  return REAL(fork)();
}

int execl(const char* path, const char* first, ...) noexcept {
  Refuse("execl");
  va_list rest;
  va_start(rest, first);
  std::vector<char*> arguments = ArgumentsOf(first, rest);
  va_end(rest);
  return REAL(execv)(path, arguments.data());
}

int execlp(const char* file, const char* first, ...) noexcept {
  Refuse("execlp");
  va_list rest;
  va_start(rest, first);
  std::vector<char*> arguments = ArgumentsOf(first, rest);
  va_end(rest);
  return REAL(execvp)(file, arguments.data());
}

int execle(const char* path, const char* first, ...) noexcept {
  Refuse("execle");
  va_list rest;
  va_start(rest, first);
  std::vector<char*> arguments = ArgumentsOf(first, rest);
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return REAL(execve)(path, arguments.data(), environment);
}

READS_REST sem_t* sem_open(const char* name, int flags, ...) {
  Refuse("sem_open");
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  const auto value = va_arg(rest, unsigned int);
  va_end(rest);
  return REAL(sem_open)(name, flags, mode, value);
}

READS_REST mqd_t mq_open(const char* name, int flags, ...) noexcept {
  Refuse("mq_open");
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  auto* const options = va_arg(rest, mq_attr*);
  va_end(rest);
  return REAL(mq_open)(name, flags, mode, options);
}

// The signals of a crash end a client as they end a process; others would be handled, or end the
// whole program.
int raise(int signal) noexcept {
  if (!interlock::sim::IsOfACrash(signal)) Refuse("raise");
  return REAL(raise)(signal);
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* options) noexcept {
  // AddressSanitizer asks where the stack of the OS thread is.
  if (kWithAsan && Serving() != nullptr) thread = REAL(pthread_self)();
  if (!kWithAsan) Refuse("pthread_getattr_np");
  return REAL(pthread_getattr_np)(thread, options);
}

// The value would be one of all threads of the world.
void* tss_get(tss_t key) {
  Refuse("tss_get");
  return REAL(tss_get)(key);
}

void thrd_exit(int result) {
  Refuse("thrd_exit");
  REAL(thrd_exit)(result);
  __builtin_unreachable();
}

}  // extern "C"

#endif
