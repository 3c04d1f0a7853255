// SPDX-License-Identifier: MIT
//
// A counter that forgets: the fencing token is counted by INCR inside the granting script, as it
// should be, and the counter gets the TTL of the lock, "so that nothing is left behind".
//
// What goes wrong: nobody asks for the lock for as long as a lease, the counter expires, and the
// next grant is number 1 again. A storage that has seen 7 refuses every holder from now on; or
// somebody resets the storage, and then the stale holder with 7 gets in. The same happens when the
// server that counts loses its data. The fix: the counter outlives every client that may still
// carry one of its numbers. Lock and unlock of this page are correct.
#include "scenarios/specimens/fence.h"
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  return LockAndCount(redis, attempt, attempt.lease);
}

}  // namespace

Specimen FenceForgets() {
  return {MakeLock({.name = "broken/fence-forgets",
                    .summary = "counts its fencing tokens in a key that expires with the lock",
                    .traits = {.fencing = true},
                    .lock = Lock}),
          {{"tokens", "contention", SynchronyClass::kNone},
           {"tokens", "kleppmann.k9", SynchronyClass::kNone},
           {"fenced-writes", "guarded", SynchronyClass::kArbitrary}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
