// SPDX-License-Identifier: MIT
//
// What the definitions of the C library's functions share. Private to sim/posix.
//
// They may run before main and inside the dynamic loader; until a task runs they only forward.
// A source that defines some is compiled by itself, without _FORTIFY_SOURCE.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <string_view>

#include "sim/posix/heap.h"
#include "sim/posix/library.h"
#include "sim/posix/sanitizers.h"
#include "sim/posix/times.h"
#include "sim/tripwire.h"

namespace interlock::sim::posix {

/// What serves a call; null: it is forwarded. The functions of this kind are part of the definition
/// that they stand in, and ask where its call returns to.
[[gnu::always_inline]] inline Library* Serving() {
  Library* library = ServingLibrary();
  return library != nullptr && IsOfTheHeap(__builtin_return_address(0)) ? nullptr : library;
}

/// What serves a call that nobody but the heap may make in a task otherwise.
[[gnu::always_inline]] inline Library* Served(const char* function) {
  if (IsOfTheHeap(__builtin_return_address(0))) return nullptr;
  Library* library = ServingLibrary();
  if (library == nullptr) CheckEscape(function);
  return library;
}

/// What serves a call with this descriptor; null: it is one of the program's own.
inline Library* ServedOn(int descriptor) {
  return Descriptors::Owns(descriptor) ? ServingLibrary() : nullptr;
}

/// Ends the program if a task that is served calls the function, which no library has.
[[gnu::always_inline]] inline void Refuse(const char* function) {
  if (Serving() != nullptr) CheckEscape(function);
}

/// As Refuse, if it calls it with a descriptor of the library's.
inline void RefuseOn(int descriptor, const char* function) {
  if (ServedOn(descriptor) != nullptr) CheckEscape(function);
}

inline void* Resolve(const char* name, std::atomic<void*>& kept) {
  void* function = kept.load(std::memory_order_relaxed);
  if (function == nullptr) {
    // AddressSanitizer must know of each thread. Its other functions may be called while it begins.
    if (kWithAsan && std::string_view(name) == "pthread_create") {
      function = dlsym(RTLD_DEFAULT, "__interceptor_pthread_create");
    }
    if (function == nullptr) function = dlsym(RTLD_NEXT, name);
    kept.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace interlock::sim::posix

// The next definition of the function; kept without a guarded static, which may itself wait.
#define REAL_AS(symbol, type)                                                                  \
  (reinterpret_cast<type>(interlock::sim::posix::Resolve(symbol, []() -> std::atomic<void*>& { \
    static constinit std::atomic<void*> interlock_kept = nullptr;                              \
    return interlock_kept;                                                                     \
  }())))
#define REAL(name) REAL_AS(#name, decltype(&::name))

// A function of a variable number of arguments reads them all, whether there are so many or not.
#define READS_REST [[gnu::no_sanitize_address]]
