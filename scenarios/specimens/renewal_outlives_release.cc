// SPDX-License-Identifier: MIT
//
// The watchdog that nobody calls off: Redisson's renewal went on after an unlock that had failed
// (several reports, 2018 to 2023), and after a tryLock that was interrupted before its reply came.
//
// What goes wrong: the unlock is lost on its way. The caller hears of an error and goes on to other
// things; the renewal was to be cancelled when the unlock had succeeded, so it is not. As long as
// the process lives, the lock is renewed, and nobody else ever gets it: the TTL that should have
// ended this is what the watchdog is there to prevent. The fix is to call off the renewal before
// the unlock is sent, whatever becomes of it. Lock, unlock and the renewal's own script are
// correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

/// Renews at each third of the lease, over a connection of its own, until it is
/// called off or finds that the lock is no longer its own.
void Renew(harness::Environment environment, Attempt attempt, Duration socket_timeout) {
  RedisClient redis(environment, socket_timeout);
  const Duration third = attempt.lease / 3;
  while (!attempt.renewal->WaitUntil(AddSaturating(redis.runtime().Now(), third))) {
    attempt.asked = redis.runtime().Now();
    const StatusCode renewed = ExtendCorrectly(redis, attempt).code();
    if (renewed == StatusCode::kNotOwner || renewed == StatusCode::kCancelled) return;
  }
}

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status locked = LockCorrectly(redis, attempt);
  if (!locked.ok()) return locked;
  attempt.renewal = redis.runtime().NewEvent();
  redis.RunBeside("watchdog", [environment = redis.environment(), attempt,
                               socket_timeout = redis.socket_timeout()] {
    Renew(environment, attempt, socket_timeout);
  });
  return locked;
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Status unlocked = UnlockCorrectly(redis, attempt);
  if (unlocked.ok()) attempt.renewal->Set();
  return unlocked;
}

}  // namespace

Specimen RenewalOutlivesRelease() {
  return {MakeLock({.name = "broken/renewal-outlives-release",
                    .summary = "renews its lease until it has been released, also when that failed",
                    .lock = Lock,
                    .unlock = Unlock,
                    .socket_timeout = std::chrono::milliseconds(500)}),
          {{"keys", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
