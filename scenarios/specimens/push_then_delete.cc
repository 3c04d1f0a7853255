// SPDX-License-Identifier: MIT
//
// One script pushes the wake-up and deletes the list: sidekiq-unique-jobs (#352), as part of
// tidying up.
//
// What goes wrong: Redis serves blocked clients when a script has ended, not while it runs. By then
// the list is gone again, so the waiter in BRPOP sleeps on; and since everything happens in one
// atomic step, no test that looks at the keys sees anything but a clean end. The fix is never to
// delete in the script that signals. This page's waiters block until they are told, as the
// original's do.
#include <string>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt);
  const std::string signal = attempt.key + ":signal";
  return redis.CallUntil({"BRPOP", signal, patience.seconds}, patience.overdue).status();
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "redis.call('lpush', KEYS[1] .. ':signal', '1') "
      "redis.call('del', KEYS[1] .. ':signal') "
      "return redis.call('del', KEYS[1])";
  return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen PushThenDelete() {
  return {MakeLock({.name = "broken/push-then-delete",
                    .summary = "signals and tidies up in one script, so that nobody is woken",
                    .unlock = Unlock,
                    .wait = Wait}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
