// SPDX-License-Identifier: MIT
//
// A waiter that has gone stays in the queue: Redisson's fair lock (many reports, the last fix in
// 2026). Whoever finds the lock taken joins a queue, and only its head may take the lock.
//
// What goes wrong: the wait times out, or the reply is lost, and the client goes away without
// leaving the queue. When its place comes to the head, the lock is free and nobody may take it,
// until the queue itself expires. No fault is needed, only impatience. The fix is to leave the
// queue on every way out of the wait; and to give each place a deadline that its owner has to
// renew.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/queued.h"

namespace interlock::scenarios::specimens {

Specimen WaiterLeftInQueue() {
  return {MakeLock(Queued("broken/waiter-left-in-queue",
                          "a fair lock whose waiters keep their place when they have left")),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
