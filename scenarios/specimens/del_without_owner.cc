// SPDX-License-Identifier: MIT
//
// Unlock by plain DEL: the third condition of the first founding text ("the one who locked
// unlocks"), broken. The value says whose lock it is, and nobody looks.
//
// What goes wrong: a holder that works longer than its lease unlocks all the same. The key has
// expired, another client has taken it, and the DEL releases that client's lock; a third one enters
// beside the second, whose own late DEL then lets in a fourth. No fault is needed, only work that
// takes longer than somebody thought. Seen in Laravel (until 2018), celery-once, redis-objects,
// ShedLock (still the default). The fix is to compare and delete in one Lua script. The lock of
// this page is the correct one.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  return ExpectInteger(redis.Call({"DEL", attempt.key}), 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen DelWithoutOwner() {
  return {MakeLock({.name = "broken/del-without-owner",
                    .summary = "unlocks by DEL, whoever holds the lock by then",

                    .unlock = Unlock,
                    .folds_errors = true}),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
