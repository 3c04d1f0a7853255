// SPDX-License-Identifier: MIT
//
// The newcomer is faster than the one that was woken: python-redis-lock (#58) wakes a waiter by a
// signal, and lets whoever comes take the lock meanwhile.
//
// What goes wrong: the holder releases, and the signal travels to the waiter that has waited
// longest. Before the waiter's SET arrives, a client that has only just come (often the very one
// that released) takes the lock; the waiter blocks again, behind all the others. Said to be first
// come, first served, it serves whoever is near. The fix is to hand over: the release itself makes
// the first in line the owner, so that a newcomer finds the lock taken. Deadlines, lock and unlock
// of this page are correct.
#include <string>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  const std::string signal = SignalKey(attempt.key);
  return redis.CallUntil({"BLPOP", signal, patience.seconds}, patience.overdue).status();
}

}  // namespace

Specimen NewcomerFirst() {
  return {MakeLock({.name = "broken/newcomer-first",
                    .summary = "claims to be fair, and lets a newcomer take what a waiter is "
                               "woken for",
                    .traits = {.bypass_bound = 0},
                    .unlock = UnlockAndSignal,
                    .wait = Wait}),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
