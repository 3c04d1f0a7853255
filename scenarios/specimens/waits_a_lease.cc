// SPDX-License-Identifier: MIT
//
// "It is taken, so wait until it ends": errorception/redis-lock asked with SETNX, and when refused
// with GET, how long the lock would stay taken.
//
// What goes wrong: the lock is released between the two. GET finds nothing, the client has no time
// to wait until, and falls back to the whole lease, though the lock is free. Nothing else wakes it.
// With short leases nobody notices; with long ones a free lock stays idle for minutes while
// somebody waits. The fix is to try again at once when GET answers nil. Lock and unlock of this
// page are correct; its waiters promise to look again within the retry sleep, as the original's do
// in every other case.
#include <algorithm>
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> ttl = redis.Call({"PTTL", attempt.key});
  if (!ttl.ok()) return ttl.status();
  const bool gone = ttl->integer < 0;
  const Duration left = *attempt.deadline - redis.runtime().Now();
  const Duration until_free = gone ? attempt.lease : std::chrono::milliseconds(100);
  redis.Sleep(std::min(left, until_free));
  return Status();
}

}  // namespace

Specimen WaitsALease() {
  return {
      MakeLock({.name = "broken/waits-a-lease",
                .summary = "waits a whole lease when the lock is freed while it asks about it",
                .wait = Wait,
                .wake_up_bound =
                    [](const harness::LockOptions&) { return std::chrono::milliseconds(100); }}),
      {{"deadlock", "contention", SynchronyClass::kNone}},
      {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
