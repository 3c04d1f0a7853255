// SPDX-License-Identifier: MIT
//
// EXISTS, then SET, then EXPIRE: the first lock of the second founding text, there shown as what
// not to write. (As printed it also lacks a negation and stores only if the key does exist;
// repaired here, since nobody would run that one twice.)
//
// What goes wrong, as the text itself says:
//   - two clients both see "absent" before either of them has stored anything. Both store, both
//   hold.
//     No fault is needed, only two clients at the same moment;
//   - the process dies between SET and EXPIRE: the key never expires, and everybody else waits for
//     ever. The expiry was there against exactly such crashes.
// Seen since: celery-once (2018: GET, then SETEX if empty), redis-semaphore (2012: EXISTS, then
// create). The fix is one command, `SET key token NX PX ms`. The unlock of this page is the correct
// one.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status absent =
      ExpectInteger(redis.Call({"EXISTS", attempt.key}), 0, StatusCode::kNotAcquired);
  if (!absent.ok()) return absent;
  const Result<Reply> stored = redis.Call({"SET", attempt.key, attempt.token});
  if (!stored.ok()) return stored.status();
  // Like the original, takes no interest in the reply: the key was just there.
  return redis.Call({"PEXPIRE", attempt.key, std::to_string(attempt.lease.count())}).status();
}

}  // namespace

Specimen ExistsSetExpire() {
  return {MakeLock({.name = "broken/exists-set-expire",
                    .summary = "looks whether the key exists, then stores it, then sets its TTL",
                    .lock = Lock,

                    .folds_errors = true}),
          {{"server-exclusion", "contention", SynchronyClass::kNone},
           {"keys", "crash", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
