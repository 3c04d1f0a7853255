// SPDX-License-Identifier: MIT
//
// Re-entrant on the way in alone: "if the value is mine, I have it already" lets the owner in again
// without counting how often, and its unlock is that of a plain lock.
//
// What goes wrong: code that holds the lock calls a function that takes it too, and gives it back
// when it returns. That frees the resource, in the middle of the caller's section. Here each holder
// makes such a call when its section begins. The fix is to give back one hold at a time, and to
// free the resource with the last of them.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kEnterAgain =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2])";

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status outer = LockCorrectly(redis, attempt);
  if (!outer.ok()) return outer;
  const Status inner = CallScript(redis, kEnterAgain, attempt.key,
                                  {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotAcquired);
  if (inner.outcome() == Outcome::kUnknown) return inner;
  const Status left = UnlockCorrectly(redis, attempt);
  return left.outcome() == Outcome::kUnknown ? left : inner;
}

}  // namespace

Specimen ReentrantFreesAll() {
  return {MakeLock({.name = "broken/reentrant-frees-all",
                    .summary = "lets its owner in again, and is free when it leaves once",
                    .lock = Lock}),
          {{"belief-exclusion", "contention", SynchronyClass::kNone},
           {"section-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
