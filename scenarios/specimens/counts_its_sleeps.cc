// SPDX-License-Identifier: MIT
//
// The wait is a number of sleeps: Redisson (until 2016) subtracted from the time-out what it had
// slept, and not what its commands had taken.
//
// What goes wrong: against a server nearby nothing, which is why it is written so: 30 sleeps of 100
// ms are three seconds. Over a slow line each try costs as much again as the sleep after it, and
// the answer comes twice as late; when the server hangs, later by any factor. The fix is one
// deadline, set when the call begins, on a monotonic clock. Lock and unlock of this page are
// correct. `interlock explore` cannot convict it: in the world that it explores, commands take no
// time.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  if (attempt.deadline != kNever) *attempt.deadline += redis.runtime().Now() - attempt.asked;
  redis.Sleep(std::chrono::milliseconds(20));
  return Status();
}

}  // namespace

Specimen CountsItsSleeps() {
  return {MakeLock({.name = "broken/counts-its-sleeps",
                    .summary = "counts the time it slept, and not the time its commands took",
                    .wait = Wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
