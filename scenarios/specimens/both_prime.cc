// SPDX-License-Identifier: MIT
//
// Two clients make the tokens: redis-semaphore in 2012 asked whether its list existed, and if not,
// created it.
//
// What goes wrong: two clients ask before either of them has created anything. Both push n tokens,
// 2 n clients enter, and since every token comes back, it stays so. It takes two clients and a
// semaphore that nobody has used before. The fix is one command, or one script, that decides who
// makes them.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Prime(RedisClient& redis, Attempt& attempt) {
  const std::string exists = ExistsKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> there = redis.Call({"EXISTS", exists});
  if (!there.ok() || there->integer != 0) return there.status();
  if (Result<Reply> made = redis.Call({"SET", exists, "1", "PX", LifeOf(attempt)}); !made.ok()) {
    return made.status();
  }
  for (int permit = 0; permit < attempt.permits; ++permit) {
    if (Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"}); !pushed.ok()) {
      return pushed.status();
    }
  }
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

}  // namespace

Specimen BothPrime() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/both-prime";
  recipe.summary = "looks whether its tokens exist, and then makes them";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, Prime, RecoverTokens, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"permits-belief", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
