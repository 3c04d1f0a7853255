// SPDX-License-Identifier: MIT
//
// Two steps for a writer: it counts the readers, and if there are none it takes its key with SET
// NX. A mistake of our own invention, of the kind that exists-then-set is for a plain lock.
//
// What goes wrong: a reader enters between the two. SET NX keeps other writers out, but knows of no
// readers, so that the two are inside together. The fix is one script for both. All else of this
// page is correct.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

Status Enter(RedisClient& redis, Attempt& attempt) {
  if (attempt.shared) return EnterCorrectly(redis, attempt);
  constexpr std::string_view kLook =
      "return redis.call('zcount', readers, ms(now), '+inf') == 0 and 1 or 0";
  if (Status free = CallReaders(redis, kLook, attempt, {}, StatusCode::kNotAcquired); !free.ok()) {
    return free;
  }
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen LooksThenWrites() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/looks-then-writes";
  recipe.summary = "a writer looks for readers in one step, and enters in the next";
  recipe.lock = Enter;
  return {MakeLock(std::move(recipe)),
          {{"server-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
