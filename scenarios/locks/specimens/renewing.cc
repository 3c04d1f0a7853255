// SPDX-License-Identifier: MIT
//
// Locks whose leases renew themselves: a watchdog beside each hold.
#include <chrono>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/renewed_recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kNothingToRenew =
    "no explored section is as long as a lease, so nothing has to be renewed";

// The watchdog that nobody calls off: Redisson's renewal went on after an unlock that had failed
// (several reports, 2018 to 2023), and after a tryLock that was interrupted before its reply came.
//
// What goes wrong: the unlock is lost on its way. The caller hears of an error and goes on to other
// things; the renewal was to be cancelled when the unlock had succeeded, so it is not. As long as
// the process lives, the lock is renewed, and nobody else ever gets it: the TTL that should have
// ended this is what the watchdog is there to prevent. The fix is to call off the renewal before
// the unlock is sent, whatever becomes of it. Lock, unlock and the renewal's own script are
// correct.
Specimen RenewalOutlivesRelease() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status locked = LockCorrectly(redis, attempt);
    if (!locked.ok()) return locked;
    attempt.renewal = redis.runtime().NewEvent();
    const std::shared_ptr<Kept> kept(new Kept{attempt, attempt.renewal, nullptr, nullptr});
    redis.RunBeside("watchdog", [kept](RedisClient& its_own) { RenewEachThird(its_own, *kept); });
    return locked;
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    const Status unlocked = UnlockCorrectly(redis, attempt);
    if (unlocked.ok()) attempt.renewal->Set();
    return unlocked;
  };
  return {MakeLock({.name = "broken/renewal-outlives-release",
                    .summary = "renews its lease until it has been released, also when that failed",
                    .lock = lock,
                    .unlock = unlock,
                    .socket_timeout = std::chrono::milliseconds(500)}),
          {{"keys", "lossy", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .lost_replies = 1}};
}

// The loss that is told when the renewal comes back: in node-redlock's using(), swarthy's semaphore
// and RedLock.net the watchdog is also the one who tells of a loss, so while its own call hangs
// nobody does (1000 ms of lease, not aborted after 2900 ms).
//
// What goes wrong: the reply to a renewal is lost or held up. The watchdog waits for it, the lease
// ends meanwhile, another client enters, and the holder, which was promised to be told, works on.
// The fix is a timer of its own, armed with the validity's end, which waits for no server. Lock,
// unlock and the renewal itself are correct.
Specimen LossToldLate() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    if (RenewEachThird(redis, kept) == StatusCode::kNotOwner) kept.lost->Set();
  };
  return {MakeRenewedLock({.name = "broken/loss-told-late",
                           .summary = "tells of a loss when its renewal has come back, not before",
                           .watchdog = watch,
                           .tells = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded, kLateness}},
          {.clients = 1, .expiries = 1, .pauses = 1},
          kNothingToRenew};
}

// The watchdog that believes its timer and not the answer: RedLock.net's status stays "acquired"
// when a renewal throws, and its users go by the next one's time.
//
// What goes wrong: a renewal is lost on its way. The server's lease ends when it was to end, while
// the holder has already put off its own end by a whole lease, and the next one enters beside it.
// The fix: only an answer that says so makes the validity longer, counted from when its command was
// sent; whatever else happens, it ends when it was to end. Lock, unlock and the renewal's script
// are correct.
Specimen RenewedByTimer() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    Attempt& attempt = kept.attempt;
    while (!IsGivenBackInAThird(redis, kept)) {
      attempt.asked = redis.runtime().Now();
      attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
      const StatusCode answer = ExtendCorrectly(redis, attempt).code();
      if (answer == StatusCode::kCancelled || answer == StatusCode::kNotOwner) return;
    }
  };
  return {MakeRenewedLock({.name = "broken/renewed-by-timer",
                           .summary = "believes in each renewal as soon as it is sent",
                           .watchdog = watch}),
          {{"belief-exclusion", "lossy", SynchronyClass::kNone,
            "from outside nobody sees how long a renewed lease is believed in"}},
          {.clients = 2, .expiries = 1, .lost_replies = 1},
          kNothingToRenew};
}

// A loss that is none: the timer that tells of the lease's end is not called off when the lock is
// given back, as with every setTimeout whose handle nobody kept.
//
// What goes wrong: the user has released in time, and is called all the same when the lease would
// have been over: it stops its next piece of work, or throws away what it has done. The fix is to
// call the timer off in the release, and to wait for a callback that runs. Lock, unlock and renewal
// are correct.
Specimen CalledAfterRelease() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    if (RenewEachThird(redis, kept) == StatusCode::kCancelled) return;
    redis.runtime().NewEvent()->WaitUntil(kept.attempt.valid_until);
    if (kept.on_lost) kept.on_lost();
  };
  return {MakeRenewedLock({.name = "broken/called-after-release",
                           .summary = "calls its user of a loss also when it has given it back",
                           .watchdog = watch,
                           .calls = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded, kNotAsked}},
          {.clients = 1}};
}

// The watchdog that takes any answer for a yes: a renewal that only looks whether an exception was
// thrown, when the script's 0 ("not yours") is an answer like its 1. So did several clients that
// count a reply of any kind as a heartbeat.
//
// What goes wrong: the holder stands still until its lease is over. Its watchdog wakes with it, is
// told "not yours", and puts off the end of the validity by a whole lease; a holder that looks at
// the lease only between two steps of its work is told that it is valid, while somebody else holds
// it. The fix is to read the answer: anything but "yes" leaves the validity where it is, and "no"
// ends it.
Specimen AnyAnswerRenews() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    Attempt& attempt = kept.attempt;
    while (!IsGivenBackInAThird(redis, kept)) {
      attempt.asked = redis.runtime().Now();
      const StatusCode answer = ExtendCorrectly(redis, attempt).code();
      if (answer == StatusCode::kCancelled) return;
      const bool answered = answer == StatusCode::kOk || answer == StatusCode::kNotOwner;
      if (answered) attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    }
  };
  return {MakeRenewedLock({.name = "broken/any-answer-renews",
                           .summary = "takes every answer to a renewal for a yes",
                           .watchdog = watch}),
          {{"foreign-extend", "pause", SynchronyClass::kArbitrary,
            "from outside nobody sees how long a renewed lease is believed in"}},
          {.clients = 1, .attempts = 1, .expiries = 1, .pauses = 1},
          kNothingToRenew};
}

// The renewal of whosever it is: a watchdog that sends PEXPIRE with the key, and asks nobody whose
// the key is by then.
//
// What goes wrong: the holder stands still until its lease is over, and another client enters. The
// watchdog wakes, prolongs what is there, is told 1, and believes that the lease is its own. The
// fix is to compare the owner token in the script that prolongs.
Specimen RenewsWhosever() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    Attempt& attempt = kept.attempt;
    while (!IsGivenBackInAThird(redis, kept)) {
      attempt.asked = redis.runtime().Now();
      const Result<Reply> there = redis.Call({"PEXPIRE", attempt.key, Ms(attempt.lease)});
      if (there.code() == StatusCode::kCancelled) return;
      if (there.ok() && there->integer == 1) {
        attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
      }
    }
  };
  return {MakeRenewedLock({.name = "broken/renews-whosever",
                           .summary = "renews with a plain PEXPIRE, whosever the key is by then",
                           .watchdog = watch}),
          {{"foreign-extend", "pause", SynchronyClass::kArbitrary, kChance}},
          {.clients = 2, .attempts = 1, .expiries = 1, .pauses = 1},
          kNothingToRenew};
}

// The watchdog that gives up when one renewal has failed: redis-plus-plus dropped a lock at the
// first passing error (#624), and Medallion at the third.
//
// What goes wrong: the connection is reset when a third of the lease is over. Two thirds are left,
// in which the lock could ask again; its watchdog has ended, nobody is told, and the lease runs out
// under a holder who was promised that it is kept alive. The fix is to try again for as long as the
// lease lasts, and to tell the user if it ends all the same.
Specimen GivesUpRenewing() {
  const auto watch = [](RedisClient& redis, Kept& kept) {
    Attempt& attempt = kept.attempt;
    while (!IsGivenBackInAThird(redis, kept)) {
      attempt.asked = redis.runtime().Now();
      if (!ExtendCorrectly(redis, attempt).ok()) return;
    }
  };
  return {MakeRenewedLock({.name = "broken/gives-up-renewing",
                           .summary = "ends its renewals when one of them has failed",
                           .watchdog = watch}),
          {{"false-validity", "chaos", SynchronyClass::kBounded, kNoTrace}},
          {.clients = 1, .attempts = 1, .expiries = 1, .lost_replies = 1},
          kNothingToRenew};
}

// The hold that nobody gives back: an exception between lock and unlock, or a handle that was not
// kept. Redisson's watchdog keeps such a lock for as long as its process lives; libraries that came
// later give a maximum, and some forget it in one of the ways through their loop.
//
// What goes wrong: the lock says that it keeps no lease alive for more than four of them. Its
// watchdog counts renewals that have failed, and none of these does; so nobody else gets the lock
// before the process ends. The fix is a deadline for the whole hold, from its grant on.
Specimen KeepsForEver() {
  return {MakeRenewedLock({.name = "broken/keeps-for-ever",
                           .summary = "keeps a lock alive that its holder has forgotten",
                           .watchdog = RenewEachThird,
                           .most_leases = 4}),
          {{"false-validity", "forgotten", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1},
          kNothingToRenew};
}

// The maximum that the handle keeps: the lock says that it keeps no lease alive for more than four
// of them, and a timer of the handle's own calls the watchdog off then.
//
// What goes wrong: the handle is destroyed without a release, its timer with it, and the watchdog,
// which is the client's, renews for ever what nobody can give back any more. As long as the handle
// lives, all is well. The fix is to end the renewal with the handle, or to have the watchdog look
// at the end itself.
Specimen DroppedForEver() {
  static constexpr int kMostLeases = 4;
  const auto end_in_time = [](RedisClient& redis, Kept& kept) {
    const Duration most = kMostLeases * kept.attempt.lease - kept.attempt.lease;
    const MonotonicTime end = AddSaturating(redis.runtime().Now(), most);
    if (!kept.gone->WaitUntil(end)) kept.stop->Set();
  };
  return {MakeRenewedLock({.name = "broken/dropped-for-ever",
                           .summary = "keeps alive for ever what is dropped without a release",
                           .watchdog = RenewEachThird,
                           .most_leases = kMostLeases,
                           .timer = end_in_time}),
          {{"false-validity", "forgotten", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1},
          kNothingToRenew};
}

// One watchdog for the whole process, which forgets what it has to renew when anything is given
// back: a table of renewals that is keyed by the client instead of the hold. Redisson's table of
// expirations has lost entries of other holds in several releases.
//
// What goes wrong: a client holds two locks, and gives the first one back. The second one's renewal
// ends with it, and its lease runs out while it is held. Tests that give back in reverse order, or
// hold one lock at a time, pass. The fix is one entry for each hold, closed by its own release.
Specimen ReleaseEndsOthers() {
  return {MakeRenewedLock({.name = "broken/release-ends-others",
                           .summary = "a release ends the renewals of all that its client holds",
                           .watchdog = RenewEachThird,
                           .one_stop = true}),
          {{"false-validity", "nested", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .attempts = 2},
          kNothingToRenew};
}

}  // namespace

std::vector<Specimen> RenewingSpecimens() {
  return {RenewalOutlivesRelease(), LossToldLate(),     RenewedByTimer(),  CalledAfterRelease(),
          AnyAnswerRenews(),        RenewsWhosever(),   GivesUpRenewing(), KeepsForEver(),
          DroppedForEver(),         ReleaseEndsOthers()};
}

}  // namespace interlock::scenarios::specimens
