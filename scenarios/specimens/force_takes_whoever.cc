// SPDX-License-Identifier: MIT
//
// An operator's "unlock" that deletes the key: Redisson's forceUnlock, and every runbook that says
// redis-cli DEL.
//
// What goes wrong: the operator looks, sees a holder that hangs, and thinks. Meanwhile that lease
// ends and the next client is granted the lock, from whom it is taken. The fix is to compare with
// the token that was seen, in the script that deletes.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Force(RedisClient& redis, Attempt& seen) {
  return ExpectInteger(redis.Call({"DEL", seen.key}), 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen ForceTakesWhoever() {
  return {MakeLock({.name = "broken/force-takes-whoever",
                    .summary = "an operator takes the lock from whoever has it by then",
                    .traits = {.operators = true},
                    .force = Force}),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
