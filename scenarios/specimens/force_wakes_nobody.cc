// SPDX-License-Identifier: MIT
//
// An operator's release that is not like the holder's: it compares and deletes, and does not do
// what else a release does.
//
// What goes wrong: waiters sleep until a release signals. The holder's own release finds that it is
// no longer the owner, and signals nothing; so they sleep on beside a free lock. The fix is one
// script for both.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {

Specimen ForceWakesNobody() {
  return {MakeLock({.name = "broken/force-wakes-nobody",
                    .summary = "an operator takes the lock away, and no waiter is told",
                    .traits = {.operators = true},
                    .unlock = UnlockAndSignal,
                    .wait = WaitForSignal,
                    .auxiliary = SignalKeys,
                    .force = UnlockCorrectly}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
