// SPDX-License-Identifier: MIT
//
// Locks whose waits can be stopped, or that an operator can take away from their holders.
#include <algorithm>
#include <chrono>
#include <utility>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/handed_over.h"
#include "scenarios/locks/specimens/queued.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

// A waiter that was stopped stays in the line: the queue of a fair lock is left when the wait times
// out, and cancellation, which came to the interface years later, goes another way out of it.
//
// What goes wrong: the user cancels the wait, and its place comes to the head. The lock is free and
// nobody may take it, until the queue itself expires. The fix is one way out of the wait for all
// reasons, and a deadline for each place.
Specimen StoppedWaiterStays() {
  const auto leave = [](RedisClient& redis, Attempt& attempt) {
    if (attempt.stop.stop_requested()) return Status();
    return redis.Call({"LREM", attempt.key + ":queue", "0", attempt.client}).status();
  };
  Recipe recipe = Queued("broken/stopped-waiter-stays",
                         "a fair lock whose waiters leave the line unless they were stopped");
  recipe.traits.stops = true;
  recipe.leave = leave;
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2}};
}

// A wake-up that dies with the woken waiter: one element for each release, and the waiter that pops
// it is the one that tries. .NET's SemaphoreSlim and Java's AbstractQueuedSynchronizer both had
// this fault with waits that were cancelled or interrupted.
//
// What goes wrong: a waiter is stopped, finds that out when it is woken, and goes away. The lock is
// free, and all others sleep until somebody else comes. The fix is that a woken waiter tries once
// more whatever else has happened, or hands the element on; and a sleep that the stop ends.
Specimen StopSwallowsTheHint() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    Status woken = WaitForSignal(redis, attempt);
    if (woken.ok() && attempt.stop.stop_requested()) {
      return Status(StatusCode::kStopped, "the wait was stopped");
    }
    return woken;
  };
  return {
      MakeLock({.name = "broken/stop-swallows-the-hint",
                .summary = "a waiter that is stopped goes away with the wake-up that it has had",
                .traits = {.stops = true},
                .unlock = UnlockAndSignal,
                .wait = wait,
                .auxiliary = {kSignalBeside}}),
      {{"deadlock", "contention", SynchronyClass::kNone, kNotAsked}},
      {.clients = 3}};
}

// "Stopped" wins over "granted": the wait is a race of two futures, and the one that loses is
// dropped, as promises with a time-out or an abort signal around them are written everywhere.
//
// What goes wrong: the user stops the wait while the command that acquires is on its way. It is
// told that it holds nothing, and the server keeps the lock for it until the lease is over. The fix
// is to look at what the command has brought before giving up: to hand the grant over, or back.
Specimen StoppedThoughGranted() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    Status locked = LockCorrectly(redis, attempt);
    if (locked.ok() && attempt.stop.stop_requested()) {
      return Status(StatusCode::kStopped, "the wait was stopped");
    }
    return locked;
  };
  return {MakeLock({.name = "broken/stopped-though-granted",
                    .summary = "answers \"stopped\" though it has just been granted the lock",
                    .traits = {.stops = true},
                    .lock = lock}),
          {{"keys", "contention", SynchronyClass::kNone, kNotAsked},
           {"spurious-refusal", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2}};
}

// A stop that is noticed at the next look: the flag is read at the top of the loop, and the sleep
// between two looks knows nothing of it.
//
// What goes wrong: a user that wants to shut down waits for half of a lease, which may be minutes.
// The fix is a sleep that the request ends. Lock, unlock and the wait itself are correct.
Specimen StopAtTheNextLook() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Duration left = *attempt.deadline - redis.runtime().Now();
    redis.Sleep(std::min<Duration>(left, attempt.lease / 2));
    return Status();
  };
  return {MakeLock({.name = "broken/stop-at-the-next-look",
                    .summary = "sleeps on when its wait is stopped, until it would look again",
                    .traits = {.stops = true},
                    .wait = wait}),
          {{"termination", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2}};
}

// An operator's "unlock" that deletes the key: Redisson's forceUnlock, and every runbook that says
// redis-cli DEL.
//
// What goes wrong: the operator looks, sees a holder that hangs, and thinks. Meanwhile that lease
// ends and the next client is granted the lock, and it is taken from that one. The fix is to
// compare with the token that was seen, in the script that deletes.
Specimen ForceTakesWhoever() {
  const auto force = [](RedisClient& redis, Attempt& seen) {
    return ExpectInteger(redis.Call({"DEL", seen.key}), 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/force-takes-whoever",
                    .summary = "an operator takes the lock from whoever has it by then",
                    .traits = {.operators = true, .recalls_releases = true},
                    .force = force}),
          {{"foreign-release", "overstay", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2, .attempts = 2}};
}

// A forced release that leaves the victim its grant. Our own FairMutex did so until a review found
// it: an operator took the lock away from a waiter that it had been handed over to, and that had
// not fetched it yet.
//
// What goes wrong: the operator sees an owner that does nothing, since it stands still between two
// looks at its list, and takes the lock away from it. The next one in line has it then; and the
// victim wakes up, finds in its list that it was its turn, and believes it. The fix is to take the
// grant back in the same script. The rest of this specimen is correct: a woken waiter counts its
// lease from when it was refused last.
Specimen ForceLeavesTheGrant() {
  Recipe recipe = HandedOver("broken/force-leaves-the-grant",
                             "takes the lock away from a waiter, which fetches it all the same",
                             WhenWoken::kCounts, 1);
  recipe.traits.operators = true;
  recipe.traits.recalls_releases = true;
  recipe.force = GivesToTheNext;
  return {MakeLock(std::move(recipe)),
          {{"belief-exclusion", "next-in-line", SynchronyClass::kBounded}},
          {.clients = 4, .pauses = 1},
          "explored pauses last until a lease ends, and what its victim was left is over by then"};
}

// An operator's release that is not like the holder's: it compares and deletes, and does not do
// what else a release does.
//
// What goes wrong: waiters sleep until a release signals. The holder's own release finds that it is
// no longer the owner, and signals nothing; so they sleep on beside a free lock. The fix is one
// script for both.
Specimen ForceWakesNobody() {
  return {MakeLock({.name = "broken/force-wakes-nobody",
                    .summary = "an operator takes the lock away, and no waiter is told",
                    .traits = {.operators = true, .recalls_releases = true},
                    .unlock = UnlockAndSignal,
                    .wait = WaitForSignal,
                    .auxiliary = {kSignalBeside},
                    .hand_over_bound =
                        [](const harness::LockOptions&) { return std::chrono::milliseconds(20); },
                    .force = UnlockCorrectly}),
          {{"deadlock", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 3}};
}

}  // namespace

std::vector<Specimen> StoppingSpecimens() {
  return {StoppedWaiterStays(), StopSwallowsTheHint(), StoppedThoughGranted(), StopAtTheNextLook(),
          ForceTakesWhoever(),  ForceLeavesTheGrant(), ForceWakesNobody()};
}

}  // namespace interlock::scenarios::specimens
