// SPDX-License-Identifier: MIT
//
// Sleeping until the lease ends: the waiter asks how long the lock stays taken, and sleeps exactly
// so long, as errorception/redis-lock does. No polling, no signals, one line.
//
// What goes wrong: the sleep is not cut at the caller's deadline. Who would wait for 50 ms comes
// back after the rest of a lease of 5 s, with a thread that was blocked all the while. A test with
// a short lease, or a long deadline, passes. The fix is the smaller of the two times. Lock and
// unlock of this page are correct.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> ttl = redis.Call({"PTTL", attempt.key});
  if (!ttl.ok()) return ttl.status();
  redis.Sleep(std::chrono::milliseconds(std::max<std::int64_t>(ttl->integer, 0) + 1));
  return Status();
}

}  // namespace

Specimen SleepsToTheEnd() {
  return {MakeLock({.name = "broken/sleeps-to-the-end",
                    .summary = "sleeps until the holder's lease ends, whatever its own deadline",
                    .wait = Wait}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
