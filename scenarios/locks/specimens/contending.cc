// SPDX-License-Identifier: MIT
//
// Locks whose waiters get into the way of others, or of themselves.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

// A fixed number of locks for any number of names: the name is hashed to one of two stripes, and
// the stripe is what is locked. Guava's Striped is of that kind, and its specimen warns of what
// befalls clients that take several; a lock service that hashes names to a bounded set of keys does
// not tell.
//
// What goes wrong: nothing, as long as everybody holds one lock at a time: names that share a
// stripe only wait for each other. Then somebody takes two. If they share a stripe, the client
// waits for itself; if not, two clients that follow one order of names, as they should, take the
// stripes crosswise. Each time a lease must run out first, and then somebody's work is unprotected.
// The fix is a key for each name, or to take the stripes themselves in one order, each once. Lock
// and unlock of this specimen are correct but for the key.
Specimen StripedKeys() {
  // The stripe stands for the last part of the key.
  constexpr auto kStripeOf = [](const std::string& key) {
    const unsigned sum = std::accumulate(key.begin(), key.end(), 0U, [](unsigned all, char one) {
      return all + static_cast<unsigned char>(one);
    });
    return key.substr(0, key.find_last_of(":_") + 1) + "stripe" + std::to_string(sum % 2);
  };
  const auto lock = [=](RedisClient& redis, Attempt& attempt) {
    return SetIfAbsent(redis, kStripeOf(attempt.key), attempt.token, attempt.lease);
  };
  const auto unlock = [=](RedisClient& redis, Attempt& attempt) {
    return CompareAndDelete(redis, kStripeOf(attempt.key), attempt.token);
  };
  const auto owners = [=](const harness::ServerView& server, const harness::LockOptions& options) {
    return std::optional(OwnersAt(server, kStripeOf(KeyOf(options))));
  };
  return {MakeLock({.name = "broken/striped-keys",
                    .summary = "hashes the names of its resources to two keys",
                    .lock = lock,
                    .unlock = unlock,
                    .owners = owners}),
          {{"deadlock", "nested", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2},
          "one client is enough that holds the first of three resources and asks for the last; "
          "the explored ones ask for the next"};
}

// A remedy against the herd: when the lock comes free, all who wait would ask at once, so each of
// them first stays back for a while. Consul's lock-delay is such a pause, but one for everybody;
// here it is the waiter's own.
//
// What goes wrong: a client that has only just come has not waited, and so need not stay back. As
// long as somebody comes before the pause is over, the waiters find the lock taken again, and wait
// for the next release. The lock is free most of the time, everybody who comes is served, and the
// first to come is not. The fix is to hand over in order, or to pause at random and briefly,
// newcomers included. Deadlines, lock and unlock of this specimen are correct.
Specimen WaitsOutTheHerd() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    constexpr Duration kLook = std::chrono::milliseconds(50);
    constexpr Duration kStayBack = std::chrono::milliseconds(2500);
    const auto left = [&] { return *attempt.deadline - redis.runtime().Now(); };
    while (left() > Duration::zero()) {
      const Result<Reply> taken = redis.Call({"EXISTS", attempt.key});
      if (!taken.ok()) return taken.status();
      if (taken->integer == 0) break;
      redis.Sleep(std::min(left(), kLook));
    }
    redis.Sleep(std::min(left(), kStayBack));
    return Status();
  };
  return {MakeLock({.name = "broken/waits-out-the-herd",
                    .summary = "makes who has waited stay back for a while when the lock is freed",
                    .wait = wait}),
          {{"order", "newcomers", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2},
          "it starves behind who comes at the right moments, again and again"};
}

// "After you": a waiter that has got the lock looks whether others wait as well, and if so gives it
// back for them. Retrofitted fairness is written like this when the queue is only a set: it says
// that somebody waits, and not who came first. A mistake of our own invention; the split votes of
// Redis' own specimen (three clients, five nodes, one fixed pause) end the same way.
//
// What goes wrong: with one waiter nothing. Two of them hand the lock to each other for ever, some
// times a second, each within all its bounds: the lock is taken whenever somebody looks, commands
// go on, and nobody is ever granted anything. No lease ends it, for no lease is ever held. The fix
// is an order among the waiters, which a release follows. Lock and unlock of this specimen are
// correct, and so is its deadline.
Specimen AfterYou() {
  static constexpr std::chrono::milliseconds kPause(500);
  static constexpr std::chrono::milliseconds kWaitingTtl = 2 * kPause;
  const auto leave = [](RedisClient& redis, const Attempt& attempt) {
    return redis.Call({"SREM", attempt.key + ":waiting", attempt.client}).status();
  };
  const auto lock = [leave](RedisClient& redis, Attempt& attempt) {
    const Status locked = LockCorrectly(redis, attempt);
    if (!locked.ok() || !attempt.deadline.has_value()) return locked;
    const std::string waiting = attempt.key + ":waiting";
    const Result<Reply> others = redis.Call({"SCARD", waiting});
    if (!others.ok()) return others.status();
    const Result<Reply> itself = redis.Call({"SISMEMBER", waiting, attempt.client});
    if (!itself.ok()) return itself.status();
    if (others->integer <= itself->integer) return leave(redis, attempt);
    const Status given_back = UnlockCorrectly(redis, attempt);
    return given_back.ok() ? Status(StatusCode::kNotAcquired, "after you") : given_back;
  };
  const auto wait = [leave](RedisClient& redis, Attempt& attempt) {
    const std::string waiting = attempt.key + ":waiting";
    const Result<Reply> joined = redis.Call({"SADD", waiting, attempt.client});
    if (!joined.ok()) return joined.status();
    const Result<Reply> lives = redis.Call({"PEXPIRE", waiting, Ms(kWaitingTtl)});
    if (!lives.ok()) return lives.status();
    const Duration left = *attempt.deadline - redis.runtime().Now();
    redis.Sleep(std::min<Duration>(left, kPause));
    if (redis.runtime().Now() < *attempt.deadline) return Status();
    const Status left_alone = leave(redis, attempt);
    return left_alone.ok() ? Status(StatusCode::kTimeout, "not acquired in time") : left_alone;
  };
  return {MakeLock({.name = "broken/after-you",
                    .summary = "gives the lock back when it sees that others wait",
                    .lock = lock,
                    .wait = wait,
                    .auxiliary = {{.ending = ":waiting", .ttl = kWaitingTtl}}}),
          {{"termination", "contention", SynchronyClass::kNone, kLateness}},
          {.clients = 2, .attempts = 2},
          "it goes on until the run ends, and each of its tries is a place for many schedules",
          "each of its looks is a place for many schedules"};
}

// One wake-up is all it takes: Spring Integration (GH-3700) waited for one message, and when the
// lock was taken all the same, told its caller that the time was over.
//
// What goes wrong: the holder releases, the waiter is woken, and a newcomer is faster. The waiter
// asks once more, is refused, and gives up, though the caller would have waited ten times as long.
// What callers do with a time-out (raise an alarm, skip the job) happens under mere contention. The
// fix is a loop around wake-up and try until the deadline. Lock, unlock and signal of this specimen
// are correct.
Specimen GivesUpEarly() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const bool woken_before = attempt.budget == Duration::zero();
    if (woken_before) return Status(StatusCode::kTimeout, "not acquired in time");
    const Result<Reply> signal = PopSignal(redis, attempt);
    if (signal.ok() && signal->IsArray()) attempt.budget = Duration::zero();
    return signal.status();
  };
  return {MakeLock({.name = "broken/gives-up-early",
                    .summary = "waits for one signal, and then its time is over",
                    .unlock = UnlockAndSignal,
                    .wait = wait,
                    .auxiliary = {kSignalBeside}}),
          {{"spurious-refusal", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

// Sleeping until the lease ends: the waiter asks how long the lock stays taken, and sleeps exactly
// that long, as errorception/redis-lock does. No polling, no signals, one line.
//
// What goes wrong: the sleep is not cut at the caller's deadline. A caller that would wait for 50
// ms comes back after the rest of a lease of 5 s, with a thread that was blocked all the while. A
// test with a short lease, or a long deadline, passes. The fix is the smaller of the two times.
// Lock and unlock of this specimen are correct.
Specimen SleepsToTheEnd() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> ttl = redis.Call({"PTTL", attempt.key});
    if (!ttl.ok()) return ttl.status();
    redis.Sleep(std::chrono::milliseconds(std::max<std::int64_t>(ttl->integer, 0) + 1));
    return Status();
  };
  return {MakeLock({.name = "broken/sleeps-to-the-end",
                    .summary = "sleeps until the holder's lease ends, whatever its own deadline",
                    .wait = wait}),
          {{"termination", "contention", SynchronyClass::kNone, kLateness}},
          {.clients = 2}};
}

// Seconds where they fit: below a second the lease is given in milliseconds, from a second on as
// whole seconds, because EX reads better in a log than PX and every lease in the configuration was
// a whole number of seconds. Half a mending of what RedLock.net and Spring Integration had
// (whole-seconds).
//
// What goes wrong: a lease of 1.7 s becomes one of 1 s, while its holder counts on 1.7. Leases of
// 0.5, 1, 2 and 5 s are all right, so every test passes that uses round numbers. The fix is PX for
// every lease. Unlock of this specimen is correct, and so is the lock but for the unit.
Specimen SecondsFromOneOn() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(attempt.lease);
    if (seconds.count() == 0) return LockCorrectly(redis, attempt);
    return SetIfAbsent(redis, attempt.key, attempt.token, "EX", std::to_string(seconds.count()));
  };
  return {
      MakeLock({.name = "broken/seconds-from-one-on",
                .summary = "cuts a lease of more than a second to whole seconds",
                .lock = lock}),
      {{"belief-exclusion", "contention", SynchronyClass::kNone, "real leases are below a second"}},
      {.clients = 2, .expiries = 1}};
}

// A pause of zero between two tries: an option that nobody checks (Redisson #5392 is of that kind),
// or a loop that was written as `while (!lock.tryAcquire()) {}`.
//
// What goes wrong: everybody gets the lock in the end, and the tests pass. Meanwhile each waiter
// asks as fast as the network carries, tens of times in a millisecond, and the server answers "no"
// to all of them instead of executing the one release that they wait for. The fix is to be woken;
// or at least to sleep between two tries, longer each time, and by a random length. Lock and unlock
// of this specimen are correct, and so is its deadline.
Specimen PollsWithoutRest() {
  return {MakeLock({.name = "broken/polls-without-rest",
                    .summary = "asks again as soon as it is refused",
                    .wait = [](RedisClient&, Attempt&) { return Status(); }}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2},
          "it goes round in circles, and where commands take no time there is no end to that"};
}

// The wake-up that goes round in circles: a waiter that was woken and lost the race puts the signal
// back, so that it is not lost for the others. Signals that outlive their cause made the waiters of
// python-redis-lock (#14, #38) spin as well.
//
// What goes wrong: the waiter that put the signal back is the first to pop it. It tries, loses, and
// puts it back again, hundreds of times while the newcomer that beat it does its work: a livelock
// that looks like load. The fix: a signal says "look", once. Who has looked and found the lock
// taken waits for the next release; only a waiter that gives up without having looked passes it on.
// Lock, unlock and deadlines of this specimen are correct.
Specimen HandsTheSignalBack() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> woken = PopSignal(redis, attempt);
    if (!woken.ok()) return woken.status();
    if (!woken->IsArray()) return Status();
    constexpr std::string_view kPutBack =
        "if redis.call('exists', KEYS[1]) == 0 then return 1 end "
        "local signal = KEYS[1] .. ':signal' "
        "redis.call('lpush', signal, '1') redis.call('pexpire', signal, ARGV[1]) return 1";
    return CallScript(redis, kPutBack, attempt.key, {Ms(attempt.lease)}, 1,
                      StatusCode::kProtocolError);
  };
  return {MakeLock({.name = "broken/hands-the-signal-back",
                    .summary = "puts a wake-up back after a lost race, and pops it again itself",
                    .unlock = UnlockAndSignal,
                    .wait = wait,
                    .auxiliary = {kSignalBeside}}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2},
          "it goes round in circles, and where commands take no time there is no end to that"};
}

}  // namespace

std::vector<Specimen> ContendingSpecimens() {
  return {StripedKeys(),    WaitsOutTheHerd(),  AfterYou(),         GivesUpEarly(),
          SleepsToTheEnd(), SecondsFromOneOn(), PollsWithoutRest(), HandsTheSignalBack()};
}

}  // namespace interlock::scenarios::specimens
