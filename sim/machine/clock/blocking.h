// SPDX-License-Identifier: MIT
//
// Publishes the waits of a client's only thread (see wait_word.h for the protocol and its reasons).
//
// Thread safety: any thread; with several, nothing is published.
#pragma once

#include <atomic>

#include "sim/machine/clock/wait_word.h"

namespace interlock::sim::machine {

/// At its first connect to a server: publishes from now on, if this process is the client's own.
void BeginToPublish();
/// Whether it does, which a process with several threads stops.
bool Publishes();
/// In a forked child, which is somebody else.
void PublishNothing();
/// The kernel will interrupt the process, end one of its waits, or send something of it, at a time
/// of its own.
void NoteKernelTimer();
/// Tells the driver, if there has been one, by the page of now.
void TellKernelTimer();

/// A call that may block, during the object's lifetime. Keeps errno.
class Blocking {
 public:
  /// The look begins. `may`: false if the call does not block, and there is nothing to publish.
  explicit Blocking(bool may = true);
  /// The thread runs again.
  ~Blocking();
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

  /// False: no look is necessary.
  bool publishes() const { return publishes_; }
  /// The look has found nothing, and only the driver can change that.
  void Waits(WaitPhase phase = WaitPhase::kWaits) const;
  /// What it waits for may come from elsewhere.
  void Hides() const;

 private:
  const bool publishes_;
};

}  // namespace interlock::sim::machine
