// SPDX-License-Identifier: MIT
//
// Who leaves last turns off the light: the read unlock takes its own entry out, and if no reader is
// left it deletes the lock. In Redisson's RReadWriteLock (changelog; #891, #1542) a read unlock
// removed the write lock.
//
// What goes wrong: a reader comes back when its lease is over. A writer has entered meanwhile; no
// reader is left, and the late one deletes the writer's key. The fix is to look at owner and mode
// in the script that deletes, or to delete nothing but one's own entry.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

Status Leave(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return UnlockCorrectly(redis, attempt);
  constexpr std::string_view kReader =
      "local till = redis.call('zscore', readers, ARGV[1]) "
      "redis.call('zrem', readers, ARGV[1]) "
      "if redis.call('zcount', readers, ms(now), '+inf') == 0 then "
      "  redis.call('del', KEYS[1], readers) end "
      "return till and tonumber(till) >= now and 1 or 0";
  return CallReaders(redis, kReader, attempt, {attempt.token}, StatusCode::kNotOwner);
}

}  // namespace

Specimen LastReaderDeletes() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/last-reader-deletes";
  recipe.summary = "the last reader that leaves takes away the whole lock, whoever has it";
  recipe.unlock = Leave;
  return {MakeLock(std::move(recipe)),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
