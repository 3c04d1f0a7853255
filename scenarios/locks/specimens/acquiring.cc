// SPDX-License-Identifier: MIT
//
// Locks that do not take what is free in one step, or give it another lease than they were asked
// for.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// EXISTS, then SET, then EXPIRE: the first lock of the second founding text, there shown as what
// not to write. (As printed it also lacks a negation and stores only if the key does exist;
// repaired here, since nobody would run that one twice.)
//
// What goes wrong, as the text itself says:
//   - two clients both see "absent" before either of them has stored anything. Both store, both
//   hold.
//     No fault is needed, only two clients at the same moment;
//   - the process dies between SET and EXPIRE: the key never expires, and everybody else waits for
//     ever. The expiry was there against exactly such crashes.
// Seen since: celery-once (2018: GET, then SETEX if empty), redis-semaphore (2012: EXISTS, then
// create). The fix is one command, `SET key token NX PX ms`. The unlock of this specimen is the
// correct one.
Specimen ExistsSetExpire() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status absent =
        ExpectInteger(redis.Call({"EXISTS", attempt.key}), 0, StatusCode::kNotAcquired);
    if (!absent.ok()) return absent;
    const Result<Reply> stored = redis.Call({"SET", attempt.key, attempt.token});
    if (!stored.ok()) return stored.status();
    // Like the original, takes no interest in the reply: the key was just there.
    return redis.Call({"PEXPIRE", attempt.key, Ms(attempt.lease)}).status();
  };
  return {MakeLock({.name = "broken/exists-set-expire",
                    .summary = "looks whether the key exists, then stores it, then sets its TTL",
                    .lock = lock,
                    .folds_errors = true}),
          {{"server-exclusion", "contention", SynchronyClass::kNone, kChance},
           {"keys", "crash", SynchronyClass::kNone, kChance}},
          {.clients = 1}};
}

// SETNX, then EXPIRE: what one wrote before Redis 2.6.12 gave SET its options, and what many went
// on writing. SETNX decides correctly who holds the lock; the TTL comes as a second command.
//
// What goes wrong: whatever dies between the two (the process, the connection, the power) leaves a
// key without a TTL. Nobody holds the lock, and nobody can ever take it again. A client that
// survives a lost connection does not help: it reports "not acquired" and leaves the key behind,
// its own token in it. Seen in redis-py (2014), Laravel and Horizon (2020), redis-objects (2018),
// sidekiq-grouping, beaker. The fix is one command, `SET key token NX PX ms`. The unlock of this
// specimen is the correct one.
Specimen SetnxThenExpire() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status stored = ExpectInteger(redis.Call({"SETNX", attempt.key, attempt.token}), 1,
                                        StatusCode::kNotAcquired);
    if (!stored.ok()) return stored;
    return redis.Call({"PEXPIRE", attempt.key, Ms(attempt.lease)}).status();
  };
  return {MakeLock({.name = "broken/setnx-then-expire",
                    .summary = "takes the key with SETNX and gives it its TTL afterwards",
                    .lock = lock,
                    .folds_errors = true}),
          {{"keys", "crash", SynchronyClass::kNone, kChance},
           {"crash-recovery", "crash", SynchronyClass::kNone, kChance}},
          {.clients = 1}};
}

// GET, and SETEX if there was nothing: the lock of celery-once until 2018. The TTL is set together
// with the value, so that a crash leaves no key without one; but the question and the answer are
// two commands.
//
// What goes wrong: two clients ask at the same moment, both are told "nothing there", both store.
// Both hold, and the value that remains is that of the slower one. The fix is to let the server
// decide in one command, `SET key token NX PX ms`. The unlock of this specimen is the correct one.
Specimen GetThenSetex() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> value = redis.Call({"GET", attempt.key});
    if (!value.ok()) return value.status();
    if (!value->IsNil()) return Status(StatusCode::kNotAcquired, "taken");
    return redis.Call({"PSETEX", attempt.key, Ms(attempt.lease), attempt.token}).status();
  };
  return {MakeLock({.name = "broken/get-then-setex",
                    .summary = "asks whether the key is free, then stores it with its TTL",
                    .lock = lock}),
          {{"server-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

// The right command behind an inverted test, and a wrong idea of its reply: for one day in December
// 2014 the rewritten lock of redis-py gave SET its PX only when no time-out had been asked for, and
// compared the reply "OK" with the number 1.
//
// What goes wrong: every acquire stores a key without a TTL and says "not acquired". Nobody ever
// holds this lock, and after the first try nobody ever could. It takes one client and one call; a
// test that looks at the result and at the TTL of a single acquire would have found both. Fixed the
// same day.
Specimen InvertedTest() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const bool forever = attempt.lease.count() == 0;
    Result<Reply> reply =
        forever ? redis.Call({"SET", attempt.key, attempt.token, "NX", "PX", Ms(attempt.lease)})
                : redis.Call({"SET", attempt.key, attempt.token, "NX"});
    return ExpectInteger(reply, 1, StatusCode::kNotAcquired);
  };
  return {
      MakeLock({.name = "broken/inverted-test",
                .summary = "gives a TTL only to locks without a lease, and misreads SET's reply",
                .lock = lock}),
      {{"keys", "contention", SynchronyClass::kNone},
       {"deadlock", "contention", SynchronyClass::kNone}},
      {.clients = 1}};
}

// The lease in milliseconds, the command in seconds: node-redlock (2015) and redlock-rb (2016)
// passed their ttl to EXPIRE as it was, so every lease that was extended became a thousand times as
// long.
//
// What goes wrong: nothing, as long as every holder releases. The first one that dies takes the
// lock with it, not for ten seconds but for three hours. The fix is PX and PEXPIRE; better still is
// a duration type that knows its unit until the command is written. Here already the acquire is
// wrong.
Specimen MillisecondsAsSeconds() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    return SetIfAbsent(redis, attempt.key, attempt.token, "EX", Ms(attempt.lease));
  };
  return {MakeLock({.name = "broken/milliseconds-as-seconds",
                    .summary = "hands a lease in milliseconds to an option that takes seconds",
                    .lock = lock}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

// A lease cut to whole seconds: RedLock.net (2015) wrote `EX (int)expiry.TotalSeconds`, Spring
// Integration rounded to seconds as well, and python-redis-lock turns a time-out of 0.5 into 0.
//
// What goes wrong: a lease below one second becomes 0. Redis refuses `EX 0` as an invalid expire
// time, the client takes the error for "taken", and a free lock is refused for ever. Every test
// that uses whole seconds passes. The fix is PX, and to refuse a lease below the resolution when it
// is given. The original's way of reading every reply that is not OK as "taken" is part of the
// fault.
Specimen WholeSeconds() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(attempt.lease);
    attempt.valid_until = ValidFrom(attempt.asked, seconds);
    return SetIfAbsent(redis, attempt.key, attempt.token, "EX", std::to_string(seconds.count()));
  };
  return {MakeLock({.name = "broken/whole-seconds",
                    .summary = "cuts its lease to whole seconds, and a short one to nothing",
                    .lock = lock}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

// "Too late, so we have not got it": symfony/lock looked at the clock after the reply to its
// acquire, found that too much of the lease was gone, threw, and left the key where it was (2019).
//
// What goes wrong: the acquire has taken effect. The caller is told that it holds nothing, so it
// releases nothing, and everybody else is locked out until the TTL. It takes a slow reply, or a
// pause before the reply is read. The fix is to delete the key, if it is still one's own, before
// saying no. This specimen finds a quarter of the lease too much; a lock may be as strict as it
// likes, if it cleans up.
Specimen LateGrantLeft() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
    if (!locked.ok()) return locked;
    if (redis.runtime().Now() - attempt.asked > attempt.lease / 4) {
      return Status(StatusCode::kNotAcquired, "took too long");
    }
    return Status();
  };
  return {MakeLock({.name = "broken/late-grant-left",
                    .summary = "refuses a grant that came late, and leaves its key behind",
                    .lock = lock}),
          {{"keys", "pause", SynchronyClass::kBounded, kNoTrace}},
          {.clients = 1, .pauses = 1}};
}

// A clean-up that comes before what it is to clean up. A mistake of our own invention; the specimen
// of Redlock has it as well: releasing on every master undoes what has arrived, and nothing that is
// still on its way.
//
// What goes wrong: the acquire is held up in the network. Its client waits as long as it may,
// connects anew, deletes its key, if it is there, and says that it holds nothing, which is true.
// Then the acquire arrives, and nobody knows of it: everybody is locked out until the TTL. The fix
// is a clean-up that leaves a mark for its token, and an acquire that looks for one. The rest of
// this specimen is correct.
Specimen LateTryLetIn() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
    if (locked.outcome() != Outcome::kUnknown) return locked;
    const Status undone = CompareAndDelete(redis, attempt.key, attempt.token);
    const bool reached = undone.ok() || undone.code() == StatusCode::kNotOwner;
    return reached ? Status(StatusCode::kUnavailable, locked.message()) : locked;
  };
  return {
      MakeLock(
          {.name = "broken/late-try-let-in",
           .summary = "takes back a try that got no reply, and lets it in when it comes",
           .lock = lock,
           .socket_timeout = std::chrono::milliseconds(200),
           .barred_for = [](const harness::LockOptions& options) { return 64 * options.lease; }}),
      {{"keys", "chaos", SynchronyClass::kBounded}, {"keys", "held-up", SynchronyClass::kBounded}},
      {.clients = 1, .pauses = 1},
      "no explored message is held up"};
}

/// GETSET, with a TTL.
Result<Reply> GetSet(RedisClient& redis, const Attempt& attempt) {
  return redis.Call({"SET", attempt.key, attempt.token, "GET", "PX", Ms(attempt.lease)});
}

// A value that is not there, taken for one that has expired: the Ruby gem redis-mutex until 2013.
// The value is the time at which the lock ends. SETNX has failed, so GET asks until when the lock
// is taken; if that is over, GETSET steals it, and the client that gets the old value back is the
// thief.
//
// What goes wrong: the holder releases between SETNX and GET. GET answers nil, nil becomes 0, 0 is
// long ago, and the client goes on to steal, while another one takes the free lock as it should.
// The thief's GETSET lands on the new owner's value: it reads a time in the future and gives up,
// but its own value stands there now. The server says that the wrong client owns the lock, and the
// right one's unlock finds nothing of its own. The fix is to try SETNX again on nil; better, to
// need no stealing (`SET NX PX`). Here the clock is the server's, the TTL is right, and the unlock
// compares: one fault is enough.
Specimen NilIsExpired() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const auto deadline = [](const Reply& value) { return std::atoll(value.text.c_str()); };
    const Result<Reply> time = redis.Call({"TIME"});
    if (!time.ok()) return time.status();
    if (time->elements.size() != 2) return Status(StatusCode::kProtocolError, "TIME");
    const std::int64_t now = std::atoll(time->elements[0].text.c_str()) * 1000 +
                             std::atoll(time->elements[1].text.c_str()) / 1000;
    attempt.token = std::to_string(now + attempt.lease.count()) + " " + attempt.token;
    const Status taken = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
    if (taken.code() != StatusCode::kNotAcquired) return taken;

    const Result<Reply> seen = redis.Call({"GET", attempt.key});
    if (!seen.ok()) return seen.status();
    if (deadline(*seen) > now) return Status(StatusCode::kNotAcquired, "taken");  // nil is 0
    const Result<Reply> old = GetSet(redis, attempt);
    if (!old.ok()) return old.status();
    return deadline(*old) > now ? Status(StatusCode::kNotAcquired, "taken") : Status();
  };
  return {MakeLock({.name = "broken/nil-is-expired",
                    .summary = "steals by GETSET, also when the lock has just been released",
                    .lock = lock,
                    .retry_sleep = std::chrono::milliseconds(5)}),
          {{"server-exclusion", "contention", SynchronyClass::kNone, kInstant}},
          {.clients = 2, .attempts = 2}};
}

// Stealing by the client's own clock: the value is the time at which the lock ends, written by the
// owner's clock and read by everybody else's. This is the recipe that the manual of SETNX once
// gave, and that redis-mutex, jedis-lock, YiiRedis and errorception/redis-lock followed.
//
// What goes wrong: clocks differ. A client whose clock is ahead by more than the lease finds every
// lock expired and takes it from its living owner. The recipe's own care, comparing what GETSET
// returns with what GET had shown, only keeps two thieves apart. The fix is to let one clock
// decide, the server's: `SET NX PX`, and no stealing. The clients of this specimen have no other
// clock than their monotonic one; two machines' monotonic clocks differ by as much as they like,
// and wall clocks by as much as nobody has noticed yet. The unlock compares and deletes.
Specimen ClientClock() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        redis.runtime().Now().time_since_epoch());
    attempt.token = Ms(now + attempt.lease) + " " + attempt.token;
    const Status taken = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
    if (taken.code() != StatusCode::kNotAcquired) return taken;

    const Result<Reply> seen = redis.Call({"GET", attempt.key});
    if (!seen.ok()) return seen.status();
    const bool over = seen->IsString() && std::atoll(seen->text.c_str()) < now.count();
    if (!over) return Status(StatusCode::kNotAcquired, "taken");
    const Result<Reply> old = GetSet(redis, attempt);
    if (!old.ok()) return old.status();
    return old->text == seen->text ? Status() : Status(StatusCode::kNotAcquired, "another thief");
  };
  return {MakeLock({.name = "broken/client-clock",
                    .summary = "takes a lock away when its end has passed by the thief's own clock",
                    .lock = lock}),
          {{"server-exclusion", "contention", SynchronyClass::kNone,
            "all processes of a machine have its clock"}},
          {.clients = 2}};
}

// "It is taken, so wait until it ends": errorception/redis-lock asked with SETNX, and when refused
// with GET, how long the lock would stay taken.
//
// What goes wrong: the lock is released between the two. GET finds nothing, the client has no time
// to wait until, and falls back to the whole lease, though the lock is free. Nothing else wakes it.
// With short leases nobody notices; with long ones a free lock stays idle for minutes while
// somebody waits. The fix is to try again at once when GET answers nil. Lock and unlock of this
// specimen are correct; its waiters promise to look again within the retry sleep, as the original's
// do in every other case.
Specimen WaitsALease() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> ttl = redis.Call({"PTTL", attempt.key});
    if (!ttl.ok()) return ttl.status();
    const bool gone = ttl->integer < 0;
    const Duration left = *attempt.deadline - redis.runtime().Now();
    const Duration until_free = gone ? attempt.lease : std::chrono::milliseconds(100);
    redis.Sleep(std::min(left, until_free));
    return Status();
  };
  return {
      MakeLock({.name = "broken/waits-a-lease",
                .summary = "waits a whole lease when the lock is freed while it asks about it",
                .wait = wait,
                .wake_up_bound =
                    [](const harness::LockOptions&) { return std::chrono::milliseconds(100); }}),
      {{"deadlock", "contention", SynchronyClass::kNone, kLateness}},
      {.clients = 2}};
}

}  // namespace

std::vector<Specimen> AcquiringSpecimens() {
  return {ExistsSetExpire(),       SetnxThenExpire(), GetThenSetex(),  InvertedTest(),
          MillisecondsAsSeconds(), WholeSeconds(),    LateGrantLeft(), LateTryLetIn(),
          NilIsExpired(),          ClientClock(),     WaitsALease()};
}

}  // namespace interlock::scenarios::specimens
