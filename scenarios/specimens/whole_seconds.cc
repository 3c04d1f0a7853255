// SPDX-License-Identifier: MIT
//
// A lease cut to whole seconds: RedLock.net (2015) wrote `EX (int)expiry.TotalSeconds`, Spring
// Integration rounded to seconds as well, and python-redis-lock turns a time-out of 0.5 into 0.
//
// What goes wrong: a lease below one second becomes 0. Redis refuses `EX 0` as an invalid expire
// time, the client takes the error for "taken", and a free lock is refused for ever. Every test
// that uses whole seconds passes. The fix is PX, and to refuse a lease below the resolution when it
// is given. The original's way of reading every reply that is not OK as "taken" is part of the
// fault.
#include <chrono>
#include <string>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const std::string seconds = std::to_string(attempt.lease.count() / 1000);
  const Result<Reply> reply = redis.Call({"SET", attempt.key, attempt.token, "NX", "EX", seconds});
  if (!reply.ok()) return reply.status();
  attempt.valid_until =
      ValidFrom(attempt.asked, std::chrono::seconds(attempt.lease.count() / 1000));
  return reply->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

}  // namespace

Specimen WholeSeconds() {
  return {MakeLock({.name = "broken/whole-seconds",
                    .summary = "cuts its lease to whole seconds, and a short one to nothing",
                    .lock = Lock}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
