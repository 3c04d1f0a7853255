// SPDX-License-Identifier: MIT
//
// The wake-up is taken back: python-redis-lock 3.2 released by a script that deletes the lock and
// pushes a signal on which waiters block, and then, as a second command, deleted the signal.
//
// What goes wrong: a waiter has found the lock taken and has not begun to block yet. The holder
// releases, and deletes the signal again. The waiter blocks on an empty list beside a free lock,
// and nobody is left to wake it. No fault is needed. The fix (2019) was to leave the signal for a
// while; a sound waiter also looks again when the holder's TTL is over, since a signal is a hint
// and no more.
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "local signal = KEYS[1] .. ':signal' "
      "redis.call('lpush', signal, '1') redis.call('pexpire', signal, ARGV[2]) "
      "return redis.call('del', KEYS[1])";
  const Status unlocked = CallScript(redis, kScript, attempt.key,
                                     {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotOwner);
  if (!unlocked.ok()) return unlocked;
  return redis.Call({"DEL", SignalKey(attempt.key)}).status();
}

}  // namespace

Specimen SignalDeleted() {
  return {MakeLock({.name = "broken/signal-deleted",
                    .summary = "wakes a waiter by a signal, and deletes the signal at once",
                    .unlock = Unlock,
                    .wait = WaitForSignal}),
          {{"deadlock", "pause", SynchronyClass::kBounded}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
