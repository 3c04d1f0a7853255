// SPDX-License-Identifier: MIT
//
// A remedy against the herd: when the lock comes free, all who wait would ask at once, so each of
// them first stays back for a while. Consul's lock-delay is such a pause, but one for everybody;
// here it is the waiter's own.
//
// What goes wrong: who has only just come has not waited, and so need not stay back. As long as
// somebody comes before the pause is over, those who waited find the lock taken again, and wait for
// the next release. The lock is free most of the time, everybody who comes is served, and who came
// first is not. The fix is to hand over in order, or to pause at random and briefly, newcomers
// included. Deadlines, lock and unlock of this page are correct.
#include <algorithm>
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};
constexpr milliseconds kStayBack{2500};

Status Wait(RedisClient& redis, Attempt& attempt) {
  const auto left = [&] { return *attempt.deadline - redis.runtime().Now(); };
  while (left() > Duration::zero()) {
    const Result<Reply> taken = redis.Call({"EXISTS", attempt.key});
    if (!taken.ok()) return taken.status();
    if (taken->integer == 0) break;
    redis.Sleep(std::min<Duration>(left(), kLook));
  }
  redis.Sleep(std::min<Duration>(left(), kStayBack));
  return Status();
}

}  // namespace

Specimen WaitsOutTheHerd() {
  return {MakeLock({.name = "broken/waits-out-the-herd",
                    .summary = "makes who has waited stay back for a while when the lock is freed",
                    .wait = Wait}),
          {{"order", "newcomers", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
