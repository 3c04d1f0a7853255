// SPDX-License-Identifier: MIT
//
// A loss that is none: the timer that tells of the lease's end is not called off when the lock is
// given back, as with every setTimeout whose handle nobody kept.
//
// What goes wrong: the user has released in time, and is called all the same when the lease would
// have been over: it stops its next piece of work, or throws away what it has done. The fix is to
// call the timer off in the release, and to wait for a callback that runs. Lock, unlock and renewal
// are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/renewed.h"

namespace interlock::scenarios::specimens {
namespace {

void Watch(RedisClient& redis, Kept& kept) {
  if (RenewEachThird(redis, kept) == StatusCode::kCancelled) return;
  redis.runtime().NewEvent()->WaitUntil(kept.attempt.valid_until);
  if (kept.on_lost) kept.on_lost();
}

}  // namespace

Specimen CalledAfterRelease() {
  return {MakeRenewedLock({.name = "broken/called-after-release",
                           .summary = "calls its user of a loss also when it has given it back",
                           .watchdog = Watch,
                           .calls = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
