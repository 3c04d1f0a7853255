// SPDX-License-Identifier: MIT
//
// Signals: a process may say what it wants done about them (signals.h).
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kSignalCalls[] = "signals";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <errno.h>
#include <signal.h>

using interlock::sim::posix::Library;
using interlock::sim::posix::Serving;

extern "C" {

int sigaction(int number, const struct sigaction* __restrict wanted,
              struct sigaction* __restrict before) noexcept {
  Library* library = Serving();
  if (library == nullptr) {
    using Function = int (*)(int, const struct sigaction*, struct sigaction*);
    return REAL_AS("sigaction", Function)(number, wanted, before);
  }
  const int error = library->signals().Handle(number, wanted, before);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(signal)(number, handler);
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  struct sigaction before {};
  const int error = library->signals().Handle(number, &wanted, &before);
  if (error != 0) errno = error;
  return error == 0 ? before.sa_handler : SIG_ERR;
}

int pthread_sigmask(int how, const sigset_t* __restrict wanted,
                    sigset_t* __restrict before) noexcept {
  if (Library* library = Serving()) return library->signals().Mask(how, wanted, before);
  return REAL(pthread_sigmask)(how, wanted, before);
}

int sigprocmask(int how, const sigset_t* __restrict wanted, sigset_t* __restrict before) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(sigprocmask)(how, wanted, before);
  const int error = library->signals().Mask(how, wanted, before);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

}  // extern "C"

#endif
