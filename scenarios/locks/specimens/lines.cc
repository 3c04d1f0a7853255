// SPDX-License-Identifier: MIT
//
// Locks with a queue of waiters.
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/handed_over.h"
#include "scenarios/locks/specimens/queued.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

// A direct hand-over whose new owner counts its lease from the moment at which it wakes up. Our own
// first FairMutex did a milder thing: it counted from the moment at which it had gone to sleep,
// and the grant may have lain there before that (found by this harness in `pause`).
//
// What goes wrong: a release makes the first in line the owner, and the lease runs from then on.
// The waiter hears of it late (its process was paused, its link slow), and believes in a whole
// lease of which little or nothing is left; the server lets the next one in meanwhile. The fix is
// to count from the last moment at which the waiter knew that it was not the owner, and to ask the
// server for a fresh lease if that leaves too little.
Specimen ValidFromWakeUp() {
  return {MakeLock(HandedOver("broken/valid-from-wake-up",
                              "is handed the lock, and counts its lease from when it wakes up",
                              WhenWoken::kBelieves, 1)),
          {{"belief-exclusion", "pause", SynchronyClass::kArbitrary, kChance}},
          {.clients = 3, .expiries = 1, .pauses = 1}};
}

// A direct hand-over that promises to pass over waiters which have died, and does not. A mistake of
// our own invention; that a crashed waiter stops the line is what queue-based locks are reported
// for again and again.
//
// What goes wrong: the first in line has died, and a release makes it the owner all the same.
// Nobody fetches that grant, and everybody else waits until its lease is over, which may be long.
// The fix is to let the grant lie where it can be seen that nobody has fetched it, and to take it
// back after a while; or to give each place in the line a deadline. The rest of this specimen is
// correct: a woken waiter asks for a whole lease, and each looks for itself now and then.
Specimen HandsOverToTheDead() {
  static constexpr int kLooksPerLease = 16;
  Recipe recipe =
      HandedOver("broken/hands-over-to-the-dead", "says that it passes over the dead, and does not",
                 WhenWoken::kAsks, kLooksPerLease);
  recipe.wake_up_bound = [](const harness::LockOptions& options) {
    return options.lease / kLooksPerLease + std::chrono::milliseconds(1);
  };
  recipe.passed_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; };
  return {MakeLock(std::move(recipe)),
          {{"crash-recovery", "next-in-line", SynchronyClass::kBounded}},
          {.clients = 2, .crashes = 1}};
}

// A waiter that has gone stays in the queue: Redisson's fair lock (many reports, the last fix in
// 2026). Whoever finds the lock taken joins a queue, and only its head may take the lock.
//
// What goes wrong: the wait times out, or the reply is lost, and the client goes away without
// leaving the queue. When its place comes to the head, the lock is free and nobody may take it,
// until the queue itself expires. No fault is needed, only impatience. The fix is to leave the
// queue on every way out of the wait; and to give each place a deadline that its owner has to
// renew.
Specimen WaiterLeftInQueue() {
  return {MakeLock(Queued("broken/waiter-left-in-queue",
                          "a fair lock whose waiters keep their place when they have left")),
          {{"deadlock", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2}};
}

// The newcomer is faster than the one that was woken: python-redis-lock (#58) wakes a waiter by a
// signal, and lets any newcomer take the lock meanwhile.
//
// What goes wrong: the holder releases, and the signal travels to the waiter that has waited
// longest. Before the waiter's SET arrives, a client that has only just come (often the very one
// that released) takes the lock; the waiter blocks again, behind all the others. Said to be first
// come, first served, it serves the nearest. The fix is to hand over: the release itself makes the
// first in line the owner, so that a newcomer finds the lock taken. Deadlines, lock and unlock of
// this specimen are correct.
Specimen NewcomerFirst() {
  return {MakeLock({.name = "broken/newcomer-first",
                    .summary = "claims to be fair, and lets a newcomer take what a waiter is "
                               "woken for",
                    .traits = {.bypass_bound = 0},
                    .unlock = UnlockAndSignal,
                    .wait = WaitForSignalOrLease}),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

// A stack where a queue was meant: RPUSH and RPOP at the same end of a list, one letter from the
// right pair. A mistake of our own invention; what it leads to is what python-redis-lock (#58) and
// redis-py (0 of 254 turns for one process in a published measurement) were reported for.
//
// What goes wrong: the last to come is woken first. With two waiters nobody sees it; with a crowd
// the one that came first is served last, and as long as others keep coming, never. The fix is LPOP
// (and a test with three clients). The rest of this specimen is correct: each waiter blocks on a
// list of its own, takes its place again after a lost race, leaves it when its patience ends, and
// looks again after a lease at the latest.
Specimen StackForAQueue() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "local queue = KEYS[1] .. ':queue' "
        "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
        "if ARGV[4] == '1' and not redis.call('lpos', queue, ARGV[3]) then "
        "  redis.call('rpush', queue, ARGV[3]) redis.call('pexpire', queue, ARGV[2]) end "
        "return 0";
    return CallScript(redis, kScript, attempt.key,
                      {attempt.token, Ms(attempt.lease), attempt.client,
                       attempt.deadline.has_value() ? "1" : "0"},
                      1, StatusCode::kNotAcquired);
  };
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const std::string wake = attempt.key + ":wake:" + attempt.client;
    const Result<Reply> woken = BlockingPop(redis, attempt, wake, attempt.lease);
    if (!woken.ok()) return woken.status();
    if (woken->IsArray()) return Status();
    return redis.Call({"LREM", attempt.key + ":queue", "0", attempt.client}).status();
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "redis.call('del', KEYS[1]) "
        "local next = redis.call('rpop', KEYS[1] .. ':queue') "
        "if next then "
        "  local wake = KEYS[1] .. ':wake:' .. next "
        "  redis.call('lpush', wake, '1') redis.call('pexpire', wake, ARGV[2]) end "
        "return 1";
    return CallScript(redis, attempt, kScript, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/stack-for-a-queue",
                    .summary = "claims to be fair, and wakes the one that came last",
                    .traits = {.bypass_bound = 0},
                    .lock = lock,
                    .unlock = unlock,
                    .wait = wait,
                    .auxiliary = {{":queue"}, {":wake:*"}}}),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace

std::vector<Specimen> LinesSpecimens() {
  return {ValidFromWakeUp(), HandsOverToTheDead(), WaiterLeftInQueue(), NewcomerFirst(),
          StackForAQueue()};
}

}  // namespace interlock::scenarios::specimens
