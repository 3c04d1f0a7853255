// SPDX-License-Identifier: MIT
//
// One token for all holds of a lock object: it is made when the object is constructed, and every
// acquire through the object writes the same. Many libraries do; for a semaphore, one-id-per-object
// shows the worst of it.
//
// What goes wrong: the token no longer says which hold it belongs to. A release that was lost in
// the network, and arrives when the same object has acquired again, ends the new hold; a resent
// acquire meets its own earlier key and is refused. The fix is a token for each hold, never used
// again once an outcome was unknown. Lock and unlock of this page are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.token = attempt.client;
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen TokenOfTheObject() {
  return {MakeLock({.name = "broken/token-of-the-object",
                    .summary = "uses one owner token for every hold of a lock object",
                    .lock = Lock}),
          {{"tokens", "contention", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
