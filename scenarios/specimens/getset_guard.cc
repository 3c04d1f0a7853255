// SPDX-License-Identifier: MIT
//
// A guard that locks out its own recovery: redis-semaphore (until 2016) let one client at a time
// look for stale tokens, and chose it by GETSET on a guard key with a TTL.
//
// What goes wrong: every GETSET removes the TTL that the winner has set. The winner dies inside, or
// merely another client asks while it works, and the guard stays for ever: nobody ever looks for
// stale tokens again. The next holder that dies takes its permit along. The fix is SET with NX and
// a TTL in one command; here the recovery that is guarded would not even need it, being one script.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Recover(RedisClient& redis, Attempt& attempt) {
  const std::string guard = attempt.key + ":guard";
  const Result<Reply> taken = redis.Call({"GETSET", guard, "1"});
  if (!taken.ok()) return taken.status();
  if (!taken->IsNil()) return Status();
  if (Result<Reply> timed = redis.Call({"PEXPIRE", guard, Ms(attempt.lease)}); !timed.ok()) {
    return timed.status();
  }
  if (Status recovered = RecoverTokens(redis, attempt); !recovered.ok()) return recovered;
  return redis.Call({"DEL", guard}).status();
}

}  // namespace

Specimen GetsetGuard() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/getset-guard";
  recipe.summary = "guards its recovery with a key whose TTL every onlooker removes";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, PrimeTokens, Recover, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"crash-recovery", "crash", SynchronyClass::kNone},
           {"keys", "crash", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
