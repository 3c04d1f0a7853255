// SPDX-License-Identifier: MIT
//
// Waiters block until they are told: python-redis-lock (2014) waited in BLPOP without a time-out,
// and walrus waits so whenever its lease is below one second.
//
// What goes wrong: only a release sends the signal, and the dead release nothing. The holder dies,
// its key expires, the lock is free, and whoever was waiting goes on to wait. At the time the fix
// was a function by which a human frees everybody; a sound waiter looks again when the holder's TTL
// is over. The signal of this page is pushed together with the release, and lives long enough.
#include <string>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt);
  const std::string signal = attempt.key + ":signal";
  return redis.CallUntil({"BLPOP", signal, patience.seconds}, patience.overdue).status();
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "local signal = KEYS[1] .. ':signal' "
      "redis.call('del', signal, KEYS[1]) "
      "redis.call('lpush', signal, '1') return redis.call('pexpire', signal, ARGV[2])";
  return CallScript(redis, kScript, attempt.key, {attempt.token, Ms(attempt.lease)}, 1,
                    StatusCode::kNotOwner);
}

}  // namespace

Specimen BlocksForEver() {
  return {MakeLock({.name = "broken/blocks-for-ever",
                    .summary = "waits for a release, which the dead do not send",
                    .unlock = Unlock,
                    .wait = Wait}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 2, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
