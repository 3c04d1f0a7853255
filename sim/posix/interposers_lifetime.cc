// SPDX-License-Identifier: MIT
//
// What is made once, or for each thread, and what is done at an end.
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kLifetimeCalls[] = "lifetime";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sim/crashes.h"

namespace interlock::sim::posix {
// AddressSanitizer makes the first key of a program, for what it knows of each OS thread.
constinit static std::optional<pthread_key_t> first_key;
}  // namespace interlock::sim::posix

using interlock::sim::posix::first_key;
using interlock::sim::posix::Initialisations;
using interlock::sim::posix::kWithAsan;
using interlock::sim::posix::Library;
using interlock::sim::posix::Mark;
using interlock::sim::posix::Serving;

namespace {

/// Keeps the object of that handle loaded until it is closed; null: it cannot be.
void* OpenAgain(const void* module) {
  Dl_info object{};
  if (dladdr(module, &object) == 0) return nullptr;
  return dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

bool IsOfSanitizer(pthread_key_t key) { return kWithAsan && key == first_key; }

void EndGuard(Library* library, std::uint64_t* guard, bool done) {
  const Mark mark(guard);
  if (library != nullptr) return library->initialisations().End(mark, done);
  mark.Leave(done);
}

}  // namespace

extern "C" {

extern void* __dso_handle __attribute__((visibility("hidden")));  // the program's own

int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
  const int failed = REAL(pthread_key_create)(key, destroy);
  if (failed == 0) interlock::sim::posix::NoteKey(*key, destroy);
  Library* library = failed == 0 ? Serving() : nullptr;
  if (library != nullptr) library->statics().OwnKey(*key, key);
  if (!first_key.has_value()) first_key = *key;
  return failed;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (Library* library = Serving()) library->statics().DisownKey(key);
  return REAL(pthread_key_delete)(key);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  Library* library = IsOfSanitizer(key) ? nullptr : Serving();
  if (library != nullptr) return library->threads().SetSpecific(key, value);
  return REAL(pthread_setspecific)(key, value);
}

void* pthread_getspecific(pthread_key_t key) noexcept {
  Library* library = IsOfSanitizer(key) ? nullptr : Serving();
  if (library != nullptr) return library->threads().GetSpecific(key);
  return REAL(pthread_getspecific)(key);
}

// The destructors of thread_local variables, for the C++ library. Their object stays until then,
// even if it is closed.
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* module) {
  if (Library* library = Serving()) {
    void* const kept = module != &__dso_handle ? OpenAgain(module) : nullptr;
    if (kept != nullptr) library->threads().AtExit([](void* it) { dlclose(it); }, kept);
    library->threads().AtExit(destroy, object);
    return 0;
  }
  using Function = int (*)(void (*)(void*), void*, void*);
  return REAL_AS("__cxa_thread_atexit_impl", Function)(destroy, object, module);
}

// The destructors of static variables, for the C and C++ libraries.
int __cxa_atexit(void (*destroy)(void*), void* argument, void* object) noexcept {
  Library* library = Serving();
  if (library != nullptr && library->statics().AtExit(destroy, argument, object)) return 0;
  using Function = int (*)(void (*)(void*), void*, void*);
  return REAL_AS("__cxa_atexit", Function)(destroy, argument, object);
}

// What each object calls at its end, for what it has registered: a process has done that by then,
// and what the program has registered stays registered.
void __cxa_finalize(void* object) noexcept {
  if (Serving() != nullptr && interlock::sim::posix::Statics::IsUnderTest(object)) return;
  using Function = void (*)(void*);
  REAL_AS("__cxa_finalize", Function)(object);
}

int pthread_once(pthread_once_t* control, void (*initialise)()) {
  Library* library = Serving();
  interlock::sim::posix::CallOnce(library != nullptr ? &library->initialisations() : nullptr,
                                  control, initialise);
  return 0;
}

// What the compiler calls around the initialisation of a function static.

int __cxa_guard_acquire(std::uint64_t* guard) {
  const Mark mark(guard);
  Library* library = Serving();
  const bool mine = library != nullptr ? library->initialisations().Begin(mark)
                                       : Initialisations::BeginOutside(mark);
  return mine ? 1 : 0;
}

void __cxa_guard_release(std::uint64_t* guard) noexcept { EndGuard(Serving(), guard, true); }

void __cxa_guard_abort(std::uint64_t* guard) noexcept { EndGuard(Serving(), guard, false); }

// What would end the whole program (sim/crashes.h).

void exit(int status) noexcept {
  interlock::sim::EndAlone("called exit(" + std::to_string(status) + ")");
  REAL(exit)(status);
  __builtin_unreachable();
}

void quick_exit(int status) noexcept {
  interlock::sim::EndAlone("called quick_exit(" + std::to_string(status) + ")");
  REAL(quick_exit)(status);
  __builtin_unreachable();
}

// Only for code that is served: after a fork of the program, this is the only right end.
void _exit(int status) {
  if (Serving() != nullptr) {
    interlock::sim::EndAlone("called _exit(" + std::to_string(status) + ")");
  }
  REAL(_exit)(status);
  __builtin_unreachable();
}

void _Exit(int status) noexcept { _exit(status); }

// Not declared where assertions are off.
[[noreturn]] void __assert_fail(const char* claim, const char* file, unsigned int line,
                                const char* function) noexcept {
  interlock::sim::EndAlone(std::string("failed the assertion ") + claim + " (" + file + ":" +
                           std::to_string(line) + ")");
  using Function = void (*)(const char*, const char*, unsigned int, const char*);
  REAL_AS("__assert_fail", Function)(claim, file, line, function);
  __builtin_unreachable();
}

}  // extern "C"

#endif
