// SPDX-License-Identifier: MIT
//
// The wake-up that goes round in circles: a waiter that was woken and lost the race puts the signal
// back, so that it is not lost for the others. Signals that outlive their cause made the waiters of
// python-redis-lock (#14, #38) spin as well.
//
// What goes wrong: the waiter that put the signal back is the first to pop it. It tries, loses, and
// puts it back again, hundreds of times while the newcomer that beat it does its work: a livelock
// that looks like load. The fix: a signal says "look", once. Who has looked and found the lock
// taken waits for the next release; only a waiter that gives up without having looked passes it on.
// Lock, unlock and deadlines of this page are correct.
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> woken = PopSignal(redis, attempt);
  if (!woken.ok()) return woken.status();
  if (!woken->IsArray()) return Status();
  constexpr std::string_view kPutBack =
      "if redis.call('exists', KEYS[1]) == 0 then return 1 end "
      "local signal = KEYS[1] .. ':signal' "
      "redis.call('lpush', signal, '1') redis.call('pexpire', signal, ARGV[1]) return 1";
  return CallScript(redis, kPutBack, attempt.key, {Ms(attempt.lease)}, 1,
                    StatusCode::kProtocolError);
}

}  // namespace

Specimen HandsTheSignalBack() {
  return {MakeLock({.name = "broken/hands-the-signal-back",
                    .summary = "puts a wake-up back after a lost race, and pops it again itself",
                    .unlock = UnlockAndSignal,
                    .wait = Wait,
                    .auxiliary = SignalKeys}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
