// SPDX-License-Identifier: MIT
//
// One bell for everybody: the last party pushes one element to the list at which the waiters sleep,
// as the release of a lock does.
//
// What goes wrong: a lock wakes one waiter because one can have it. A latch lets all of them
// through, and the one that popped the element goes its way; the others sleep on at an open latch,
// until their deadlines or for ever. The fix: whoever is woken wakes the next, or one element for
// each waiter, or an element that is looked at and left where it is.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

Status Await(RedisClient& redis, const LatchCall& call) {
  const Result<bool> open = SetIsFull(redis, call);
  if (!open.ok()) return open.status();
  if (*open) return Status();
  while (redis.runtime().Now() < call.deadline) {
    const Result<Reply> rung = HearBell(redis, call);
    if (!rung.ok()) return rung.status();
    if (rung->IsArray()) return Status();
  }
  return Status(StatusCode::kTimeout, "not open in time");
}

}  // namespace

Specimen LatchWakesOne() {
  return {MakeLatch({.name = "broken/latch-wakes-one",
                     .summary = "wakes one of those who wait, and that one wakes nobody",
                     .await = Await}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
