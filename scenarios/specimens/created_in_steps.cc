// SPDX-License-Identifier: MIT
//
// Created in three steps: GETSET decides who makes the tokens, EXPIRE guards against a crash on the
// way, and at the end the tokens are there. redis-semaphore, ever since 2012.
//
// What goes wrong: the creator dies after GETSET. The key that says "made" has no TTL, and the
// tokens never come; every later client finds that all has been done and waits. A second GETSET in
// between removes the TTL that the first had set, so that even the guard can be lost. The fix is
// one script that makes everything or nothing.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Prime(RedisClient& redis, Attempt& attempt) {
  const std::string exists = ExistsKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> made = redis.Call({"GETSET", exists, "1"});
  if (!made.ok()) return made.status();
  if (Result<Reply> timed = redis.Call({"PEXPIRE", exists, LifeOf(attempt)}); !timed.ok()) {
    return timed.status();
  }
  if (!made->IsNil()) return Status();
  for (int permit = 0; permit < attempt.permits; ++permit) {
    if (Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"}); !pushed.ok()) {
      return pushed.status();
    }
  }
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

}  // namespace

Specimen CreatedInSteps() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/created-in-steps";
  recipe.summary = "says that its tokens are made before it makes them";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, Prime, RecoverTokens, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "crash", SynchronyClass::kNone}, {"keys", "crash", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
