// SPDX-License-Identifier: MIT
//
// Every wake-up starts the wait anew: in python-redis-lock (#58) a waiter blocks for its whole
// time-out; woken by a release it tries, loses against a newcomer, and blocks for its whole time-
// out again.
//
// What goes wrong: the caller asked for at most three seconds. As long as the lock changes hands
// and somebody else is always faster, the answer comes after three seconds without a release,
// whenever that may be. Time-outs that only bound the silence bound nothing. The fix is one
// deadline for the whole call, from which every part of it takes what is left. Lock and unlock of
// this page are correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> woken = PopSignal(redis, attempt);
  if (!woken.ok()) return woken.status();
  if (woken->IsArray() && attempt.deadline != kNever) {
    attempt.deadline = AddSaturating(redis.runtime().Now(), attempt.budget);
  }
  return Status();
}

}  // namespace

Specimen RestartsItsWait() {
  return {MakeLock({.name = "broken/restarts-its-wait",
                    .summary = "gives every wake-up the whole time-out again",
                    .unlock = UnlockAndSignal,
                    .wait = Wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
