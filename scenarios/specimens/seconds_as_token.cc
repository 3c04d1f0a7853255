// SPDX-License-Identifier: MIT
//
// The owner is the time: redis-mutex writes when its lock will end, and takes that for the proof of
// ownership; mlanett/redis-lock keeps its times in whole seconds.
//
// What goes wrong: two grants within one second carry the same value. The first holder's late
// release compares equal and deletes the lock of the second; whatever remembers the value of a lost
// grant now speaks for another one. A clock with a finer tick makes it rarer. The fix is a random
// token for each hold. Here the clock is the server's; lock and unlock are correct but for the
// value.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> time = redis.Call({"TIME"});
  if (!time.ok()) return time.status();
  if (time->elements.size() != 2) return Status(StatusCode::kProtocolError, "TIME");
  attempt.token = time->elements[0].text;
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen SecondsAsToken() {
  return {MakeLock({.name = "broken/seconds-as-token",
                    .summary = "proves its ownership by the second in which it asked",
                    .lock = Lock}),
          {{"tokens", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
