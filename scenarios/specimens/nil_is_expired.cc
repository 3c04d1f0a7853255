// SPDX-License-Identifier: MIT
//
// A value that is not there, taken for one that has expired: the Ruby gem redis-mutex until 2013.
// The value is the time at which the lock ends. SETNX has failed, so GET asks until when the lock
// is taken; if that is over, GETSET steals it, and whoever gets the old value back is the thief.
//
// What goes wrong: the holder releases between SETNX and GET. GET answers nil, nil becomes 0, 0 is
// long ago, and the client goes on to steal, while another one takes the free lock as it should.
// The thief's GETSET lands on the new owner's value: it reads a time in the future and gives up,
// but its own value stands there now. The server says that the wrong client owns the lock, and the
// right one's unlock finds nothing of its own. The fix is to try SETNX again on nil; better, to
// need no stealing (`SET NX PX`). Here the clock is the server's, the TTL is right, and the unlock
// compares: one fault is enough.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

std::int64_t Deadline(const Reply& value) { return std::atoll(value.text.c_str()); }  // nil is 0

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> time = redis.Call({"TIME"});
  if (!time.ok()) return time.status();
  if (time->elements.size() != 2) return Status(StatusCode::kProtocolError, "TIME");
  const std::int64_t now = std::atoll(time->elements[0].text.c_str()) * 1000 +
                           std::atoll(time->elements[1].text.c_str()) / 1000;
  attempt.token = std::to_string(now + attempt.lease.count()) + " " + attempt.token;
  const Status taken = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  if (taken.code() != StatusCode::kNotAcquired) return taken;

  const Result<Reply> seen = redis.Call({"GET", attempt.key});
  if (!seen.ok()) return seen.status();
  if (Deadline(*seen) > now) return Status(StatusCode::kNotAcquired, "taken");
  const std::string lease = Ms(attempt.lease);
  const Result<Reply> old =
      redis.Call({"SET", attempt.key, attempt.token, "GET", "PX", lease});  // GETSET with a TTL
  if (!old.ok()) return old.status();
  return Deadline(*old) > now ? Status(StatusCode::kNotAcquired, "taken") : Status();
}

}  // namespace

Specimen NilIsExpired() {
  return {MakeLock({.name = "broken/nil-is-expired",
                    .summary = "steals by GETSET, also when the lock has just been released",
                    .lock = Lock,
                    .retry_sleep = std::chrono::milliseconds(5)}),
          {{"server-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
