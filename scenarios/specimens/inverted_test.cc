// SPDX-License-Identifier: MIT
//
// The right command behind an inverted test, and a wrong idea of its reply: for one day in December
// 2014 the rewritten lock of redis-py gave SET its PX only when no time-out had been asked for, and
// compared the reply "OK" with the number 1.
//
// What goes wrong: every acquire stores a key without a TTL and says "not acquired". Nobody ever
// holds this lock, and after the first try nobody ever could. It takes one client and one call; a
// test that looks at the result and at the TTL of a single acquire would have found both. Fixed the
// same day.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const bool forever = attempt.lease.count() == 0;
  Result<Reply> reply =
      forever ? redis.Call({"SET", attempt.key, attempt.token, "NX", "PX", Ms(attempt.lease)})
              : redis.Call({"SET", attempt.key, attempt.token, "NX"});
  return ExpectInteger(reply, 1, StatusCode::kNotAcquired);
}

}  // namespace

Specimen InvertedTest() {
  return {
      MakeLock({.name = "broken/inverted-test",
                .summary = "gives a TTL only to locks without a lease, and misreads SET's reply",
                .lock = Lock}),
      {{"keys", "contention", SynchronyClass::kNone},
       {"deadlock", "contention", SynchronyClass::kNone}},
      {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
