// SPDX-License-Identifier: MIT
//
// A TTL that dies with its list: redis-semaphore set the TTL of the token list when it was made
// (fixed in 2015).
//
// What goes wrong: in Redis a list without elements does not exist. Popping the last token deletes
// the list and its TTL, and the push that brings the token back makes a new list, without one. From
// then on the semaphore never goes away, whatever "expiration" its options ask for. The fix is to
// set the TTL again with every push, in one script.
#include <string_view>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('hdel', KEYS[1] .. ':grabbed', ARGV[1]) == 0 then return 0 end "
      "redis.call('rpush', KEYS[1] .. ':tokens', '1') return 1";
  return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen ListWithoutTtl() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/list-without-ttl";
  recipe.summary = "pushes its token onto a list that has lost its TTL with its last element";
  recipe.unlock = Unlock;
  return {
      MakeLock(std::move(recipe)), {{"keys", "contention", SynchronyClass::kNone}}, {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
