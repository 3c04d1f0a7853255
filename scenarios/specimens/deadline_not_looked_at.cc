// SPDX-License-Identifier: MIT
//
// The deadline is an argument and nothing else: redis-py (until 2014) took a blocking time-out and
// did not use it, redis-mutex (until 2017) had it in the condition of a loop that Ruby never
// evaluates.
//
// What goes wrong: the caller that may wait a second waits as long as the lock is taken. With
// polite holders nobody sees it. The fix is a test in which the lock stays taken longer than the
// time-out. Lock and unlock of this page are correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  attempt.deadline = kNever;
  redis.Sleep(std::chrono::milliseconds(100));
  return Status();
}

}  // namespace

Specimen DeadlineNotLookedAt() {
  return {MakeLock({.name = "broken/deadline-not-looked-at",
                    .summary = "takes a deadline, and waits until the lock is free",
                    .wait = Wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
