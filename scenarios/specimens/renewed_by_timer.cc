// SPDX-License-Identifier: MIT
//
// The watchdog that believes its timer and not the answer: RedLock.net's status stays "acquired"
// when a renewal throws, and its users go by the next one's time.
//
// What goes wrong: a renewal is lost on its way. The server's lease ends when it was to end, while
// the holder has already put off its own end by a whole lease, and the next one enters beside it.
// The fix: only an answer that says so makes the validity longer, counted from when its command was
// sent; whatever else happens, it ends when it was to end. Lock, unlock and the renewal's script
// are correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/renewed.h"

namespace interlock::scenarios::specimens {
namespace {

void Watch(RedisClient& redis, Kept& kept) {
  Attempt& attempt = kept.attempt;
  const Duration third = attempt.lease / 3;
  while (!kept.stop->WaitUntil(AddSaturating(redis.runtime().Now(), third))) {
    attempt.asked = redis.runtime().Now();
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    const StatusCode answer = ExtendCorrectly(redis, attempt).code();
    if (answer == StatusCode::kCancelled || answer == StatusCode::kNotOwner) return;
  }
}

}  // namespace

Specimen RenewedByTimer() {
  return {MakeRenewedLock({.name = "broken/renewed-by-timer",
                           .summary = "believes in each renewal as soon as it is sent",
                           .watchdog = Watch}),
          {{"belief-exclusion", "lossy", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
