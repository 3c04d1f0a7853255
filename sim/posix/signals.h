// SPDX-License-Identifier: MIT
//
// What a simulated process wants done about signals: sigaction(2), sigprocmask(2). None ever comes,
// as nobody can send one, and writing to a broken connection is EPIPE without a SIGPIPE, as if it
// were ignored; a crash ends its process whatever the handler (sim/crashes.h). Internal to
// sim/posix. Thread safety: none.
#pragma once

#include <signal.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace interlock::sim::posix {

class Signals {
 public:
  /// As sigaction(2): 0, or EINVAL. Each pointer may be null.
  int Handle(int signal, const struct sigaction* wanted, struct sigaction* before) {
    if (signal < 1 || signal >= NSIG || signal == SIGKILL || signal == SIGSTOP) return EINVAL;
    struct sigaction& present = handled_[static_cast<std::size_t>(signal)];
    const struct sigaction old = present;
    if (wanted != nullptr) present = *wanted;
    if (before != nullptr) *before = old;
    return 0;
  }
  /// As pthread_sigmask(3), but of all threads together: 0, or EINVAL. Each pointer may be null.
  int Mask(int how, const sigset_t* wanted, sigset_t* before) {
    const sigset_t old = mask_;
    if (wanted != nullptr) {
      if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
      if (how == SIG_SETMASK) mask_ = *wanted;
      for (int signal = 1; how != SIG_SETMASK && signal < NSIG; ++signal) {
        if (sigismember(wanted, signal) != 1) continue;
        (void)(how == SIG_BLOCK ? sigaddset(&mask_, signal) : sigdelset(&mask_, signal));
      }
    }
    if (before != nullptr) *before = old;
    return 0;
  }

 private:
  std::array<struct sigaction, NSIG> handled_{};
  sigset_t mask_{};
};

}  // namespace interlock::sim::posix
