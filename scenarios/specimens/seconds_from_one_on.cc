// SPDX-License-Identifier: MIT
//
// Seconds where they fit: below a second the lease is given in milliseconds, from a second on as
// whole seconds, because EX reads better in a log than PX and every lease in the configuration was
// a whole number of seconds. Half a mending of what RedLock.net and Spring Integration had
// (whole-seconds).
//
// What goes wrong: a lease of 1.7 s becomes one of 1 s, while its holder counts on 1.7. Leases of
// 0.5, 1, 2 and 5 s are all right, so every test passes that uses round numbers. The fix is PX for
// every lease. Unlock of this page is correct, and so is the lock but for the unit.
#include <chrono>
#include <string>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(attempt.lease);
  if (seconds.count() == 0) return LockCorrectly(redis, attempt);
  const Result<Reply> reply =
      redis.Call({"SET", attempt.key, attempt.token, "NX", "EX", std::to_string(seconds.count())});
  if (!reply.ok()) return reply.status();
  return reply->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

}  // namespace

Specimen SecondsFromOneOn() {
  return {MakeLock({.name = "broken/seconds-from-one-on",
                    .summary = "cuts a lease of more than a second to whole seconds",
                    .lock = Lock}),
          {{"belief-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1}};
}

}  // namespace interlock::scenarios::specimens
