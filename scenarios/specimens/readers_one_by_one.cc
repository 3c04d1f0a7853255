// SPDX-License-Identifier: MIT
//
// Readers one by one: to be on the safe side, a reader is let in if nobody is inside at all. So ran
// Redisson's readers after the release of a write lock, once (changelog of RReadWriteLock).
//
// What goes wrong: nothing that a test of exclusion would see. A reader is told "no" although
// nobody writes, and what was meant to be read by many is read by one at a time. The fix is not to
// look at the other readers.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

Status Enter(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return EnterCorrectly(redis, attempt);
  constexpr std::string_view kReader =
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
      "if redis.call('zcount', readers, ms(now), '+inf') > 0 then return 0 end "
      "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', readers, ARGV[2])";
  return CallReaders(redis, kReader, attempt, {attempt.token, Ms(attempt.lease)},
                     StatusCode::kNotAcquired);
}

}  // namespace

Specimen ReadersOneByOne() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/readers-one-by-one";
  recipe.summary = "readers exclude each other like writers";
  recipe.lock = Enter;
  return {MakeLock(std::move(recipe)),
          {{"spurious-refusal", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
