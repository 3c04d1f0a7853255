// SPDX-License-Identifier: MIT
//
// Stealing by the client's own clock: the value is the time at which the lock ends, written by the
// owner's clock and read by everybody else's. This is the recipe that the manual of SETNX once
// gave, and that redis-mutex, jedis-lock, YiiRedis and errorception/redis-lock followed.
//
// What goes wrong: clocks differ. A client whose clock is ahead by more than the lease finds every
// lock expired and takes it from its living owner. The recipe's own care, comparing what GETSET
// returns with what GET had shown, only keeps two thieves apart. The fix is to let one clock
// decide, the server's: `SET NX PX`, and no stealing. The clients of this page have no other clock
// than their monotonic one; two machines' monotonic clocks differ by as much as they like, and wall
// clocks by as much as nobody has noticed yet. The unlock compares and deletes.
#include <chrono>
#include <cstdlib>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      redis.runtime().Now().time_since_epoch());
  attempt.token = Ms(now + attempt.lease) + " " + attempt.token;
  const Status taken = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  if (taken.code() != StatusCode::kNotAcquired) return taken;

  const Result<Reply> seen = redis.Call({"GET", attempt.key});
  if (!seen.ok()) return seen.status();
  const bool over = seen->IsString() && std::atoll(seen->text.c_str()) < now.count();
  if (!over) return Status(StatusCode::kNotAcquired, "taken");
  const std::string lease = Ms(attempt.lease);
  const Result<Reply> old =
      redis.Call({"SET", attempt.key, attempt.token, "GET", "PX", lease});  // GETSET with a TTL
  if (!old.ok()) return old.status();
  return old->text == seen->text ? Status() : Status(StatusCode::kNotAcquired, "another thief");
}

}  // namespace

Specimen ClientClock() {
  return {MakeLock({.name = "broken/client-clock",
                    .summary = "takes a lock away when its end has passed by the thief's own clock",
                    .lock = Lock}),
          {{"server-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
