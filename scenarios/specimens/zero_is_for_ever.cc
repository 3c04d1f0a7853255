// SPDX-License-Identifier: MIT
//
// A time-out cut to whole seconds, and 0 means for ever: python-redis-lock passes int(timeout) to
// BLPOP, walrus divides its milliseconds by 1000, redis-semaphore (until 2015) handed on the 0 it
// was given.
//
// What goes wrong: "wait half a second" becomes BLPOP 0, which waits without an end. If the holder
// is quick, the call returns soon after all; if it is slow, late; if it has died, never. The fix is
// to give the time-out with its decimals, and never to turn a short one into 0. Lock and unlock of
// this page are correct, and a wake-up goes with every release.
#include <chrono>
#include <string>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Duration left = *attempt.deadline - redis.runtime().Now();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const bool for_ever = attempt.deadline == kNever || seconds.count() == 0;
  const MonotonicTime overdue =
      for_ever ? kNever : AddSaturating(*attempt.deadline, redis.socket_timeout());
  const std::string signal = SignalKey(attempt.key);
  const std::string timeout = for_ever ? "0" : std::to_string(seconds.count());
  return redis.CallUntil({"BLPOP", signal, timeout}, overdue).status();
}

}  // namespace

Specimen ZeroIsForEver() {
  return {MakeLock({.name = "broken/zero-is-for-ever",
                    .summary = "cuts a short time-out to 0 seconds, which is no time-out at all",
                    .unlock = UnlockAndSignal,
                    .wait = Wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
