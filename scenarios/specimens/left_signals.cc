// SPDX-License-Identifier: MIT
//
// Signals that nobody collects: python-redis-lock (2015) pushed a signal at every release onto a
// list without a TTL; Redisson and redis-py have had reports of the same kind about their helper
// keys.
//
// What goes wrong: a release without a waiter leaves its signal; waiters that time out leave
// theirs. The list grows, lives for ever, and lets later waiters through their blocking pop again
// and again, so that they spin. The lock itself works, which is why it stays unseen until the
// memory is full. The fix is one signal at most, with a TTL. Every key of a lock needs one, not
// only the lock.
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) { return PopSignal(redis, attempt).status(); }

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "redis.call('lpush', KEYS[1] .. ':signal', '1') "
      "return redis.call('del', KEYS[1])";
  return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen LeftSignals() {
  return {MakeLock({.name = "broken/left-signals",
                    .summary = "leaves a wake-up signal without a TTL after every release",
                    .unlock = Unlock,
                    .wait = Wait}),
          {{"keys", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
