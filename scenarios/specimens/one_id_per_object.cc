// SPDX-License-Identifier: MIT
//
// One identifier for the whole object: the semaphore of swarthy's redis-semaphore makes its
// identifier when it is constructed, and every acquire through it enters that one into the sorted
// set of holders.
//
// What goes wrong: two tasks of a process share the object, as the API invites them to. The set has
// one member for both, so it counts one holder; any number of tasks may enter as long as the set is
// not full. And the first to leave takes the entry of all. The fix is an identifier for each hold.
// All clients of this page are tasks that share one object.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/permit_set.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.token = "b6a1c9d2-the-object";
  return EnterPermitSet(redis, attempt);
}

}  // namespace

Specimen OneIdPerObject() {
  return {MakeLock({.name = "broken/one-id-per-object",
                    .summary = "enters the object, not the hold, into the set of holders",
                    .traits = {.semaphore = true},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
