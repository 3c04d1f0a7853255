// SPDX-License-Identifier: MIT
//
// A token between two structures: redis-semaphore pops a token from its list with BLPOP, and then,
// as a second command, records in a hash who has it.
//
// What goes wrong: the client dies between the two, or the reply to BLPOP is lost. The token is in
// neither structure. The recovery of stale tokens looks through the hash and finds nothing that is
// missing; the semaphore has one permit less, and with one permit nobody ever enters again. The fix
// is to pop and record in one script. Everything else here is atomic.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

Status Take(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> popped =
      redis.CallUntil({"BLPOP", tokens, patience.seconds}, patience.overdue);
  if (!popped.ok()) return popped.status();
  if (!popped->IsArray()) return Status(StatusCode::kNotAcquired, "no token");
  attempt.asked = redis.runtime().Now();
  attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return RecordToken(redis, attempt);
}

}  // namespace

Specimen PopThenRecord() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/pop-then-record";
  recipe.summary = "pops its token first, and then writes down who has it";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, PrimeTokens, RecoverTokens, Take);
  };
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "lossy", SynchronyClass::kNone},
           {"crash-recovery", "restart", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
