// SPDX-License-Identifier: MIT
//
// The lease in milliseconds, the command in seconds: node-redlock (2015) and redlock-rb (2016)
// passed their ttl to EXPIRE as it was, so every lease that was extended became a thousand times as
// long.
//
// What goes wrong: nothing, as long as every holder releases. The first one that dies takes the
// lock with it, not for ten seconds but for three hours. The fix is PX and PEXPIRE; better still is
// a duration type that knows its unit until the command is written. Here already the acquire is
// wrong.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> reply =
      redis.Call({"SET", attempt.key, attempt.token, "NX", "EX", Ms(attempt.lease)});
  if (!reply.ok()) return reply.status();
  return reply->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

}  // namespace

Specimen MillisecondsAsSeconds() {
  return {MakeLock({.name = "broken/milliseconds-as-seconds",
                    .summary = "hands a lease in milliseconds to an option that takes seconds",
                    .lock = Lock}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
