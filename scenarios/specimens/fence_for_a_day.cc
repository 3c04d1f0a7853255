// SPDX-License-Identifier: MIT
//
// A counter for a day: the fencing token is counted in the granting script, and since "every key
// has a TTL", the counter lives for 24 hours from the last grant on.
//
// What goes wrong: nothing, on working days. After a long weekend the counter is gone, the first
// grant is number 1, and the storage, which remembers Friday's 51,973, refuses every write until
// somebody deletes that number; from then on it accepts whoever still carries an old one. The
// fix: no TTL; or numbers that cannot fall behind, such as the greater of the last one plus one
// and the server's time.
#include "scenarios/specimens/fence.h"
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  return LockAndCount(redis, attempt, kFenceTtl);
}

}  // namespace

Specimen FenceForADay() {
  return {MakeLock({.name = "broken/fence-for-a-day",
                    .summary = "its fencing tokens begin again when nobody has asked for a day",
                    .traits = {.fencing = true},
                    .lock = Lock,
                    .auxiliary = FenceKeys}),
          {{"tokens", "idle", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
