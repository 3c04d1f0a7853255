// SPDX-License-Identifier: MIT
//
// Locks whose waiters are not woken, or do not stop to wait.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

// The wake-up is taken back: python-redis-lock 3.2 released by a script that deletes the lock and
// pushes a signal on which waiters block, and then, as a second command, deleted the signal.
//
// What goes wrong: a waiter has found the lock taken and has not begun to block yet. The holder
// releases, and deletes the signal again. The waiter blocks on an empty list beside a free lock,
// and nobody is left to wake it. No fault is needed. The fix (2019) was to leave the signal for a
// while; a sound waiter also looks again when the holder's TTL is over, since a signal is a hint
// and no more.
Specimen SignalDeleted() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "local signal = KEYS[1] .. ':signal' "
        "redis.call('lpush', signal, '1') redis.call('pexpire', signal, ARGV[2]) "
        "return redis.call('del', KEYS[1])";
    const Status unlocked = CallScript(redis, attempt, kScript, StatusCode::kNotOwner);
    if (!unlocked.ok()) return unlocked;
    return redis.Call({"DEL", SignalKey(attempt.key)}).status();
  };
  return {MakeLock({.name = "broken/signal-deleted",
                    .summary = "wakes a waiter by a signal, and deletes the signal at once",
                    .unlock = unlock,
                    .wait = WaitForSignal}),
          {{"deadlock", "pause", SynchronyClass::kBounded, kChance}},
          {.clients = 2}};
}

// Waiters block until they are told: python-redis-lock (2014) waited in BLPOP without a time-out,
// and walrus waits so whenever its lease is below one second.
//
// What goes wrong: only a release sends the signal, and the dead release nothing. The holder dies,
// its key expires, the lock is free, and the waiters go on waiting. At the time the fix was a
// function by which a human frees everybody; a sound waiter looks again when the holder's TTL is
// over. The signal of this specimen is pushed together with the release, and lives long enough.
Specimen BlocksForEver() {
  return {MakeLock({.name = "broken/blocks-for-ever",
                    .summary = "waits for a release, which the dead do not send",
                    .unlock = UnlockAndSignal,
                    .wait = WaitForSignal}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

// One script pushes the wake-up and deletes the list: sidekiq-unique-jobs (#352), as part of
// tidying up.
//
// What goes wrong: Redis serves blocked clients when a script has ended, not while it runs. By then
// the list is gone again, so the waiter in BRPOP sleeps on; and since everything happens in one
// atomic step, no test that looks at the keys sees anything but a clean end. The fix is never to
// delete in the script that signals. This specimen's waiters block until they are told, as the
// original's do.
Specimen PushThenDelete() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    return BlockingPop(redis, attempt, SignalKey(attempt.key), std::nullopt, "BRPOP").status();
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "redis.call('lpush', KEYS[1] .. ':signal', '1') "
        "redis.call('del', KEYS[1] .. ':signal') "
        "return redis.call('del', KEYS[1])";
    return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/push-then-delete",
                    .summary = "signals and tidies up in one script, so that nobody is woken",
                    .unlock = unlock,
                    .wait = wait}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

// "It is your turn" is taken for "you hold it": etcd's lock (#11456) let a client wait in a queue,
// and when everybody before it had gone, reported the lock as held, without looking whether the
// lease of its own place was still alive.
//
// What goes wrong: the place in the queue was taken with a lease, and the lease runs while its
// owner waits. When the turn comes, little or nothing is left of it. The client behind it sees a
// place whose lease has ended, goes past it, and both are inside. No fault is needed, only a long
// wait. The fix is to look at one's own lease when the turn has come, and to stand in the queue
// anew if it is over.
Specimen LeaseNotLookedAt() {
  // Takes the last place, and waits until those before it are gone.
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kEnqueue =
        "redis.call('rpush', KEYS[1] .. ':queue', ARGV[1]) "
        "redis.call('pexpire', KEYS[1] .. ':queue', 8 * ARGV[2]) "
        "redis.call('set', KEYS[1] .. ':place:' .. ARGV[1], '1', 'PX', ARGV[2]) "
        "return 1";
    constexpr std::string_view kIsFirst =
        "for _, token in ipairs(redis.call('lrange', KEYS[1] .. ':queue', 0, -1)) do "
        "if token == ARGV[1] then return 1 end "
        "if redis.call('exists', KEYS[1] .. ':place:' .. token) == 1 then return 0 end end "
        "return 1";
    const Status queued = CallScript(redis, attempt, kEnqueue, StatusCode::kProtocolError);
    if (!queued.ok()) return queued;
    for (;;) {
      const MonotonicTime now = redis.runtime().Now();
      const Status first =
          CallScript(redis, kIsFirst, attempt.key, {attempt.token}, 1, StatusCode::kNotAcquired);
      if (first.ok()) attempt.valid_until = ValidFrom(now, attempt.lease);
      if (first.code() != StatusCode::kNotAcquired) return first;
      if (now >= attempt.deadline.value_or(MonotonicTime{})) break;
      redis.Sleep(std::min<Duration>(*attempt.deadline - now, std::chrono::milliseconds(20)));
    }
    const std::string place = attempt.key + ":place:" + attempt.token;
    if (Result<Reply> left = redis.Call({"DEL", place}); !left.ok()) return left.status();
    return Status(StatusCode::kNotAcquired, "not its turn");
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    const std::string queue = attempt.key + ":queue";
    const std::string place = attempt.key + ":place:" + attempt.token;
    if (Result<Reply> left = redis.Call({"LREM", queue, "0", attempt.token}); !left.ok()) {
      return left.status();
    }
    return ExpectInteger(redis.Call({"DEL", place}), 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/lease-not-looked-at",
                    .summary = "waits for its turn, and does not see that its lease has run out",
                    .lock = lock,
                    .unlock = unlock,
                    .owners = NoOwners,
                    .auxiliary = {{":queue", 8}, {":place:*"}}}),
          {{"section-exclusion", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2, .attempts = 2}};
}

// The deadline is an argument and nothing else: redis-py (until 2014) took a blocking time-out and
// did not use it, redis-mutex (until 2017) had it in the condition of a loop that Ruby never
// evaluates.
//
// What goes wrong: the caller that may wait a second waits as long as the lock is taken. With
// polite holders nobody sees it. The fix is a test in which the lock stays taken longer than the
// time-out. Lock and unlock of this specimen are correct.
Specimen DeadlineNotLookedAt() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    attempt.deadline = kNever;
    redis.Sleep(std::chrono::milliseconds(100));
    return Status();
  };
  return {MakeLock({.name = "broken/deadline-not-looked-at",
                    .summary = "takes a deadline, and waits until the lock is free",
                    .wait = wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone, kLateness}},
          {.clients = 2}};
}

// A time-out cut to whole seconds, and 0 means for ever: python-redis-lock passes int(timeout) to
// BLPOP, walrus divides its milliseconds by 1000, redis-semaphore (until 2015) handed on the 0 it
// was given.
//
// What goes wrong: "wait half a second" becomes BLPOP 0, which waits without an end. If the holder
// is quick, the call returns soon after all; if it is slow, late; if it has died, never. The fix is
// to give the time-out with its decimals, and never to turn a short one into 0. Lock and unlock of
// this specimen are correct, and a wake-up goes with every release.
Specimen ZeroIsForEver() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Duration left = *attempt.deadline - redis.runtime().Now();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const bool for_ever = attempt.deadline == kNever || seconds.count() == 0;
    const MonotonicTime overdue =
        for_ever ? kNever : AddSaturating(*attempt.deadline, redis.socket_timeout());
    const std::string signal = SignalKey(attempt.key);
    const std::string timeout = for_ever ? "0" : std::to_string(seconds.count());
    return redis.CallUntil({"BLPOP", signal, timeout}, overdue).status();
  };
  return {MakeLock({.name = "broken/zero-is-for-ever",
                    .summary = "cuts a short time-out to 0 seconds, which is no time-out at all",
                    .unlock = UnlockAndSignal,
                    .wait = wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2}};
}

// The wait is a number of sleeps: Redisson (until 2016) subtracted from the time-out what it had
// slept, and not what its commands had taken.
//
// What goes wrong: against a server nearby nothing, which is why it is written so: 30 sleeps of 100
// ms are three seconds. Over a slow line each try costs as much again as the sleep after it, and
// the answer comes twice as late; when the server hangs, later by any factor. The fix is one
// deadline, set when the call begins, on a monotonic clock. Lock and unlock of this specimen are
// correct. `interlock explore` cannot convict it: in the world that it explores, commands take no
// time.
Specimen CountsItsSleeps() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    if (attempt.deadline != kNever) *attempt.deadline += redis.runtime().Now() - attempt.asked;
    redis.Sleep(std::chrono::milliseconds(20));
    return Status();
  };
  return {MakeLock({.name = "broken/counts-its-sleeps",
                    .summary = "counts the time it slept, and not the time its commands took",
                    .wait = wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone, kLateness}},
          {.clients = 2},
          "what it forgets to count is the time of its commands, and in the explored world a "
          "command takes none"};
}

// Every wake-up starts the wait anew: in python-redis-lock (#58) a waiter blocks for its whole
// time-out; woken by a release it tries, loses against a newcomer, and blocks for its whole time-
// out again.
//
// What goes wrong: the caller asked for at most three seconds. As long as the lock changes hands
// and somebody else is always faster, the answer comes after three seconds without a release,
// whenever that may be. Time-outs that only bound the silence bound nothing. The fix is one
// deadline for the whole call, from which every part of it takes what is left. Lock and unlock of
// this specimen are correct.
Specimen RestartsItsWait() {
  const auto wait = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> woken = PopSignal(redis, attempt);
    if (!woken.ok()) return woken.status();
    if (woken->IsArray() && attempt.deadline != kNever) {
      attempt.deadline = AddSaturating(redis.runtime().Now(), attempt.budget);
    }
    return Status();
  };
  return {MakeLock({.name = "broken/restarts-its-wait",
                    .summary = "gives every wake-up the whole time-out again",
                    .unlock = UnlockAndSignal,
                    .wait = wait,
                    .overrun_bound = std::chrono::milliseconds(200)}),
          {{"termination", "contention", SynchronyClass::kNone, kLateness}},
          {.clients = 3}};
}

// A signal at each release, of one semaphore with several permits: what it wakes is written as for
// a lock, where one release frees one place and finds nothing else to be free. Two mistakes of our
// own invention, each of a kind that stands in many a semaphore made from a list.
//
// The permits are entries of a sorted set. Waiters block on a list until a signal comes or a permit
// that is out has run out, which is sound by itself. A release takes the permit back and then
// signals: `signals` is Lua, with `signal`, the list, and `out`, the permits that were out before.
std::shared_ptr<const harness::Subject> MakeSignalled(std::string_view name,
                                                      std::string_view summary,
                                                      std::string_view signals) {
  std::string script =
      "local out = redis.call('zcard', KEYS[1]) "
      "if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end "
      "local signal = KEYS[1] .. ':signal' ";
  script += signals;
  script += " redis.call('pexpire', signal, ARGV[2]) return 1";
  const auto unlock = [script](RedisClient& redis, Attempt& attempt) {
    return CallScript(redis, script, attempt.key,
                      {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                      StatusCode::kNotOwner);
  };
  return MakeLock(
      {.name = name,
       .summary = summary,
       .traits = {.kind = harness::Permits{}},
       .lock = EnterPermitSet,
       .unlock = unlock,
       .wait = AwaitPermitSignal,
       .owners = PermitSetOwners,
       .auxiliary = {kSignalBeside},
       .hand_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; }});
}

// "Somebody can be waiting only while all permits are out": it signals only if it was full.
//
// What goes wrong: two holders leave one shortly after the other. The first wakes a waiter, which
// is still on its way when the second leaves; the semaphore was not full then, so nobody is told of
// the second permit, and the next waiter sleeps beside it. No fault is needed. The fix is a signal
// for each permit that is given back.
Specimen SignalsWhenFull() {
  return {MakeSignalled("broken/signals-when-full",
                        "wakes a waiter only if all permits were out before the release",
                        "if out >= tonumber(ARGV[3]) then "
                        "  redis.call('lpush', signal, '1') end "),
          {{"deadlock", "leave-together", SynchronyClass::kNone, kLateness}},
          {.clients = 4}};
}

// The signal of before is removed, so that the list holds one at most.
//
// What goes wrong: two waiters have been refused and do not block yet, and both holders leave. Of
// the two signals one is left, and one waiter. The fix is to bound the list by the permits that are
// free, as a signal too many only makes somebody look in vain.
Specimen OneSignalForTwo() {
  return {MakeSignalled("broken/one-signal-for-two",
                        "removes the signal of the release before when it signals",
                        "redis.call('del', signal) redis.call('lpush', signal, '1')"),
          {{"deadlock", "leave-together", SynchronyClass::kNone, kLateness}},
          {.clients = 4},
          "explored clients begin together or in turn, none of them as two others leave"};
}

}  // namespace

std::vector<Specimen> WaitingSpecimens() {
  return {SignalDeleted(),       BlocksForEver(),  PushThenDelete(),  LeaseNotLookedAt(),
          DeadlineNotLookedAt(), ZeroIsForEver(),  CountsItsSleeps(), RestartsItsWait(),
          SignalsWhenFull(),     OneSignalForTwo()};
}

}  // namespace interlock::scenarios::specimens
