// SPDX-License-Identifier: MIT
//
// Waiters block until they are told: python-redis-lock (2014) waited in BLPOP without a time-out,
// and walrus waits so whenever its lease is below one second.
//
// What goes wrong: only a release sends the signal, and the dead release nothing. The holder dies,
// its key expires, the lock is free, and whoever was waiting goes on to wait. At the time the fix
// was a function by which a human frees everybody; a sound waiter looks again when the holder's TTL
// is over. The signal of this page is pushed together with the release, and lives long enough.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {

Specimen BlocksForEver() {
  return {MakeLock({.name = "broken/blocks-for-ever",
                    .summary = "waits for a release, which the dead do not send",
                    .unlock = UnlockAndSignal,
                    .wait = WaitForSignal}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
