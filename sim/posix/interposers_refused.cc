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

#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <vector>

#include "sim/crashes.h"

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

// Processes.

pid_t fork() noexcept {
  Refuse("fork");
  return REAL(fork)();
}

// A child that shares this frame's stack would return from it first, so it gets one of its own.
pid_t vfork() noexcept {
  Refuse("vfork");
  return REAL(fork)();
}

int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  Refuse("execve");
  return REAL(execve)(path, arguments, environment);
}

int execv(const char* path, char* const arguments[]) noexcept {
  Refuse("execv");
  return REAL(execv)(path, arguments);
}

int execvp(const char* file, char* const arguments[]) noexcept {
  Refuse("execvp");
  return REAL(execvp)(file, arguments);
}

int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  Refuse("execvpe");
  return REAL(execvpe)(file, arguments, environment);
}

int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  Refuse("fexecve");
  return REAL(fexecve)(file, arguments, environment);
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

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* options, char* const arguments[],
                char* const environment[]) {
  Refuse("posix_spawn");
  return REAL(posix_spawn)(child, path, actions, options, arguments, environment);
}

int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* options, char* const arguments[],
                 char* const environment[]) {
  Refuse("posix_spawnp");
  return REAL(posix_spawnp)(child, file, actions, options, arguments, environment);
}

int system(const char* command) {
  Refuse("system");
  return REAL(system)(command);
}

FILE* popen(const char* command, const char* mode) {
  Refuse("popen");
  return REAL(popen)(command, mode);
}

int kill(pid_t process, int signal) noexcept {
  Refuse("kill");
  return REAL(kill)(process, signal);
}

// The signals of a crash end a client as they end a process; others would be handled, or end the
// whole program.
int raise(int signal) noexcept {
  if (!interlock::sim::IsOfACrash(signal)) Refuse("raise");
  return REAL(raise)(signal);
}

// Threads.

int pthread_kill(pthread_t thread, int signal) noexcept {
  Refuse("pthread_kill");
  return REAL(pthread_kill)(thread, signal);
}

int pthread_cancel(pthread_t thread) {
  Refuse("pthread_cancel");
  return REAL(pthread_cancel)(thread);
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* options) noexcept {
  // AddressSanitizer asks where the stack of the OS thread is.
  if (kWithAsan && Serving() != nullptr) thread = REAL(pthread_self)();
  if (!kWithAsan) Refuse("pthread_getattr_np");
  return REAL(pthread_getattr_np)(thread, options);
}

int pthread_getname_np(pthread_t thread, char* name, size_t size) noexcept {
  Refuse("pthread_getname_np");
  return REAL(pthread_getname_np)(thread, name, size);
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* processors) noexcept {
  Refuse("pthread_setaffinity_np");
  return REAL(pthread_setaffinity_np)(thread, size, processors);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* processors) noexcept {
  Refuse("pthread_getaffinity_np");
  return REAL(pthread_getaffinity_np)(thread, size, processors);
}

int pthread_getschedparam(pthread_t thread, int* __restrict policy,
                          sched_param* __restrict options) noexcept {
  Refuse("pthread_getschedparam");
  return REAL(pthread_getschedparam)(thread, policy, options);
}

int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  Refuse("pthread_getcpuclockid");
  return REAL(pthread_getcpuclockid)(thread, clock);
}

int pthread_setschedparam(pthread_t thread, int policy, const sched_param* options) noexcept {
  Refuse("pthread_setschedparam");
  return REAL(pthread_setschedparam)(thread, policy, options);
}

// Threads of C11, which pass by the functions above.

int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
  Refuse("thrd_create");
  return REAL(thrd_create)(thread, body, argument);
}

int thrd_join(thrd_t thread, int* result) {
  Refuse("thrd_join");
  return REAL(thrd_join)(thread, result);
}

int thrd_sleep(const timespec* length, timespec* left) {
  Refuse("thrd_sleep");
  return REAL(thrd_sleep)(length, left);
}

int mtx_lock(mtx_t* mutex) {
  Refuse("mtx_lock");
  return REAL(mtx_lock)(mutex);
}

int mtx_trylock(mtx_t* mutex) {
  Refuse("mtx_trylock");
  return REAL(mtx_trylock)(mutex);
}

int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict deadline) {
  Refuse("mtx_timedlock");
  return REAL(mtx_timedlock)(mutex, deadline);
}

int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex,
                  const timespec* __restrict deadline) {
  Refuse("cnd_timedwait");
  return REAL(cnd_timedwait)(condition, mutex, deadline);
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  Refuse("cnd_wait");
  return REAL(cnd_wait)(condition, mutex);
}

int timespec_get(timespec* time, int base) noexcept {
  Refuse("timespec_get");
  return REAL(timespec_get)(time, base);
}

// Random numbers whose state all clients would share.

double drand48() noexcept {
  Refuse("drand48");
  return REAL(drand48)();
}

long lrand48() noexcept {
  Refuse("lrand48");
  return REAL(lrand48)();
}

long mrand48() noexcept {
  Refuse("mrand48");
  return REAL(mrand48)();
}

// Files that are written.

int creat(const char* path, mode_t mode) {
  Refuse("creat");
  return REAL(creat)(path, mode);
}

FILE* freopen(const char* __restrict path, const char* __restrict mode, FILE* __restrict stream) {
  Refuse("freopen");
  return REAL(freopen)(path, mode, stream);
}

int mkstemp(char* path) {
  Refuse("mkstemp");
  return REAL(mkstemp)(path);
}

// The name for programs whose file offsets have 64 bits.
int mkstemp64(char* path) {
  Refuse("mkstemp64");
  return REAL(mkstemp64)(path);
}

int mkostemp(char* path, int flags) {
  Refuse("mkostemp");
  return REAL(mkostemp)(path, flags);
}

int mkostemp64(char* path, int flags) {
  Refuse("mkostemp64");
  return REAL(mkostemp64)(path, flags);
}

char* mkdtemp(char* path) noexcept {
  Refuse("mkdtemp");
  return REAL(mkdtemp)(path);
}

FILE* tmpfile() {
  Refuse("tmpfile");
  return REAL(tmpfile)();
}

FILE* tmpfile64() {
  Refuse("tmpfile64");
  return REAL(tmpfile64)();
}

// Sockets and other descriptors.

hostent* gethostbyname(const char* name) {
  Refuse("gethostbyname");
  return REAL(gethostbyname)(name);
}

int bind(int file, const sockaddr* address, socklen_t size) noexcept {
  RefuseOn(file, "bind");
  return REAL(bind)(file, address, size);
}

int listen(int file, int waiting) noexcept {
  RefuseOn(file, "listen");
  return REAL(listen)(file, waiting);
}

int socketpair(int domain, int type, int protocol, int files[2]) noexcept {
  Refuse("socketpair");
  return REAL(socketpair)(domain, type, protocol, files);
}

int dup3(int file, int other, int flags) noexcept {
  RefuseOn(file, "dup3");
  return REAL(dup3)(file, other, flags);
}

int dup2(int file, int other) noexcept {
  RefuseOn(file, "dup2");
  return REAL(dup2)(file, other);
}

}  // extern "C"

#endif
