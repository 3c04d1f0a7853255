// SPDX-License-Identifier: MIT
//
// A pause of zero between two tries: an option that nobody checks (Redisson #5392 is of that kind),
// or a loop that was written as `while (!lock.tryAcquire()) {}`.
//
// What goes wrong: everybody gets the lock in the end, and the tests pass. Meanwhile each waiter
// asks as fast as the network carries, tens of times in a millisecond, and the server answers "no"
// to all of them instead of executing the one release that they wait for. The fix is to be woken;
// or at least to sleep between two tries, longer each time, and by a random length. Lock and unlock
// of this page are correct, and so is its deadline.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& /*redis*/, Attempt& /*attempt*/) { return Status(); }

}  // namespace

Specimen PollsWithoutRest() {
  return {MakeLock({.name = "broken/polls-without-rest",
                    .summary = "asks again as soon as it is refused",
                    .wait = Wait}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
