// SPDX-License-Identifier: MIT
//
// A token that comes back twice: redis-semaphore's signal removes its entry from the hash and
// pushes a token, whatever the removal said.
//
// What goes wrong: a holder outlives its lease, and somebody's recovery takes its token back. Then
// the late one leaves, and pushes a token as well. One permit has become two, for good: from now on
// there are always two inside. The first fix was to look whether the entry is there before pushing,
// which is the same race again; the reply of HDEL has to decide, in one script.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const std::string grabbed = GrabbedKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> removed = redis.Call({"HDEL", grabbed, attempt.token});
  if (!removed.ok()) return removed.status();
  const Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"});
  if (!pushed.ok()) return pushed.status();
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

}  // namespace

Specimen DoubledToken() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/doubled-token";
  recipe.summary = "gives back its token, also when it has been taken back already";
  recipe.unlock = Unlock;
  return {MakeLock(std::move(recipe)),
          {{"permits-belief", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
