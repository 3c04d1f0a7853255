// SPDX-License-Identifier: MIT
//
// "Stopped" wins over "granted": the wait is a race of two futures, and the one that loses is
// dropped, as promises with a time-out or an abort signal around them are written everywhere.
//
// What goes wrong: the user stops the wait while the command that acquires is on its way. It is
// told that it holds nothing, and the server keeps the lock for it until the lease is over. The fix
// is to look at what the command has brought before giving up: to hand the grant over, or back.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  Status locked = LockCorrectly(redis, attempt);
  if (locked.ok() && attempt.stop.stop_requested()) {
    return Status(StatusCode::kStopped, "the wait was stopped");
  }
  return locked;
}

}  // namespace

Specimen StoppedThoughGranted() {
  return {MakeLock({.name = "broken/stopped-though-granted",
                    .summary = "answers \"stopped\" though it has just been granted the lock",
                    .traits = {.stops = true},
                    .lock = Lock}),
          {{"keys", "contention", SynchronyClass::kNone},
           {"spurious-refusal", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
