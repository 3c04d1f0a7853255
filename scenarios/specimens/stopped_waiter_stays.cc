// SPDX-License-Identifier: MIT
//
// A waiter that was stopped stays in the line: the queue of a fair lock is left when the wait times
// out, and cancellation, which came to the interface years later, goes another way out of it.
//
// What goes wrong: the user cancels the wait, and its place comes to the head. The lock is free and
// nobody may take it, until the queue itself expires. The fix is one way out of the wait for all
// reasons, and a deadline for each place.
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/queued.h"

namespace interlock::scenarios::specimens {
namespace {

Status Leave(RedisClient& redis, Attempt& attempt) {
  if (attempt.stop.stop_requested()) return Status();
  return redis.Call({"LREM", attempt.key + ":queue", "0", attempt.client}).status();
}

}  // namespace

Specimen StoppedWaiterStays() {
  Recipe recipe = Queued("broken/stopped-waiter-stays",
                         "a fair lock whose waiters leave the line unless they were stopped");
  recipe.traits.stops = true;
  recipe.leave = Leave;
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
