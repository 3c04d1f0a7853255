// SPDX-License-Identifier: MIT
//
// A wake-up that dies with who was woken: one element for each release, and whoever pops it is the
// one that tries. .NET's SemaphoreSlim and Java's AbstractQueuedSynchronizer both had this fault
// with waits that were cancelled or interrupted.
//
// What goes wrong: a waiter is stopped, finds that out when it is woken, and goes away. The lock is
// free, and all others sleep until somebody else comes. The fix is that whoever was woken tries
// once more whatever else has happened, or hands the element on; and a sleep that the stop ends.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  Status woken = WaitForSignal(redis, attempt);
  if (woken.ok() && attempt.stop.stop_requested()) {
    return Status(StatusCode::kStopped, "the wait was stopped");
  }
  return woken;
}

}  // namespace

Specimen StopSwallowsTheHint() {
  return {
      MakeLock({.name = "broken/stop-swallows-the-hint",
                .summary = "a waiter that is stopped goes away with the wake-up that it has had",
                .traits = {.stops = true},
                .unlock = UnlockAndSignal,
                .wait = Wait,
                .auxiliary = SignalKeys}),
      {{"deadlock", "contention", SynchronyClass::kNone}},
      {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
