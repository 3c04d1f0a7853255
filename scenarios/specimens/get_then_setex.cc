// SPDX-License-Identifier: MIT
//
// GET, and SETEX if there was nothing: the lock of celery-once until 2018. The TTL is set together
// with the value, so that a crash leaves no key without one; but the question and the answer are
// two commands.
//
// What goes wrong: two clients ask at the same moment, both are told "nothing there", both store.
// Both hold, and the value that remains is that of the slower one. The fix is to let the server
// decide in one command, `SET key token NX PX ms`. The unlock of this page is the correct one.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> value = redis.Call({"GET", attempt.key});
  if (!value.ok()) return value.status();
  if (!value->IsNil()) return Status(StatusCode::kNotAcquired, "taken");
  return redis.Call({"PSETEX", attempt.key, Ms(attempt.lease), attempt.token}).status();
}

}  // namespace

Specimen GetThenSetex() {
  return {MakeLock({.name = "broken/get-then-setex",
                    .summary = "asks whether the key is free, then stores it with its TTL",
                    .lock = Lock}),
          {{"server-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
