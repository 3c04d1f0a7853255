// SPDX-License-Identifier: MIT
//
// A stop that is noticed at the next look: the flag is read at the top of the loop, and the sleep
// between two looks knows nothing of it.
//
// What goes wrong: a user that wants to shut down waits for half of a lease, which may be minutes.
// The fix is a sleep that the request ends. Lock, unlock and the wait itself are correct.
#include <algorithm>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Duration left = *attempt.deadline - redis.runtime().Now();
  redis.Sleep(std::min<Duration>(left, attempt.lease / 2));
  return Status();
}

}  // namespace

Specimen StopAtTheNextLook() {
  return {MakeLock({.name = "broken/stop-at-the-next-look",
                    .summary = "sleeps on when its wait is stopped, until it would look again",
                    .traits = {.stops = true},
                    .wait = Wait}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
