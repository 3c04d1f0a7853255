// SPDX-License-Identifier: MIT
//
// One wake-up is all it takes: Spring Integration (GH-3700) waited for one message, and when the
// lock was taken all the same, told its caller that the time was over.
//
// What goes wrong: the holder releases, the waiter is woken, and a newcomer is faster. The waiter
// asks once more, is refused, and gives up, though the caller would have waited ten times as long.
// What callers do with a time-out (raise an alarm, skip the job) happens under mere contention. The
// fix is a loop around wake-up and try until the deadline. Lock, unlock and signal of this page are
// correct.
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const bool woken_before = attempt.budget == Duration::zero();
  if (woken_before) return Status(StatusCode::kTimeout, "not acquired in time");
  const Result<Reply> signal = PopSignal(redis, attempt);
  if (signal.ok() && signal->IsArray()) attempt.budget = Duration::zero();
  return signal.status();
}

}  // namespace

Specimen GivesUpEarly() {
  return {MakeLock({.name = "broken/gives-up-early",
                    .summary = "waits for one signal, and then its time is over",
                    .unlock = UnlockAndSignal,
                    .wait = Wait,
                    .auxiliary = SignalKeys}),
          {{"spurious-refusal", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
