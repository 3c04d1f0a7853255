// SPDX-License-Identifier: MIT
//
// Locks that mistake an outcome that is not known for one that is.
#include <chrono>
#include <string_view>

#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

// The client library sends the acquire again: rueidislock (2025), whose scripts had become
// "retryable", and any lock on a client library that repeats what got no reply.
//
// What goes wrong: the first SET NX was executed and its reply was lost. The second one finds the
// key there, which is its own, and answers "taken". The caller is told no, so it releases nothing,
// and the key keeps everybody out until its TTL. The fix is an acquire that knows its own token
// when it meets it, or not to repeat what must not be repeated. Lock and unlock are correct but for
// the repetition.
Specimen ResendMeetsItself() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status once = LockCorrectly(redis, attempt);
    return Failed(once, StatusCode::kNotAcquired) ? LockCorrectly(redis, attempt) : once;
  };
  return {MakeLock({.name = "broken/resend-meets-itself",
                    .summary = "repeats a lost SET NX, and is refused by its own key",
                    .lock = lock,
                    .socket_timeout = std::chrono::milliseconds(200)}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

// The client library sends the unlock again: Redisson (#4871) repeated an unlock whose reply had
// been lost, and then threw "attempt to unlock lock, not locked by current thread".
//
// What goes wrong: the first script deleted the key, and nobody learned of it. The second finds
// nothing to delete and answers "not owner". The caller is told that it has lost its lease in the
// middle of its work, which it had not, and rolls back, raises an alarm, or does the work again.
// The fix is to remember that the first answer is unknown: then "not there" means nothing. Lock and
// unlock are correct but for the repetition.
Specimen ResentUnlockDenies() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    const Status once = UnlockCorrectly(redis, attempt);
    return Failed(once, StatusCode::kNotOwner) ? UnlockCorrectly(redis, attempt) : once;
  };
  return {MakeLock({.name = "broken/resent-unlock-denies",
                    .summary = "repeats a lost unlock, and then denies that it was the owner",
                    .unlock = unlock,
                    .socket_timeout = std::chrono::milliseconds(200)}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

// "Every exception is printed and becomes false": the final code of the second founding text, after
// all its races have been mended. One SET with NX and a TTL, one script that compares and deletes;
// nothing is wrong with the commands.
//
// What goes wrong: the reply is lost after the command was executed. Nobody can know that it was
// not; the service says "not acquired", and its key stays for the whole TTL. Or "not released",
// with the same result. redlock-rb (until 2019) let the exception out instead, which leaves the key
// just the same. The fix is a third answer, unknown, and a clean-up of one's own token whenever it
// is given.
Specimen UnknownIsNo() {
  return {MakeLock({.name = "broken/unknown-is-no",
                    .summary = "says \"not acquired\" when it cannot know, and leaves its key",
                    .socket_timeout = std::chrono::milliseconds(200),
                    .folds_errors = true}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

// Signals that nobody collects: python-redis-lock (2015) pushed a signal at every release onto a
// list without a TTL; Redisson and redis-py have had reports of the same kind about their helper
// keys.
//
// What goes wrong: a release without a waiter leaves its signal; waiters that time out leave
// theirs. The list grows, lives for ever, and lets later waiters through their blocking pop again
// and again, so that they spin. The lock itself works, which is why it stays unseen until the
// memory is full. The fix is one signal at most, with a TTL. Every key of a lock needs one, not
// only the lock.
Specimen LeftSignals() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "redis.call('lpush', KEYS[1] .. ':signal', '1') "
        "return redis.call('del', KEYS[1])";
    return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/left-signals",
                    .summary = "leaves a wake-up signal without a TTL after every release",
                    .unlock = unlock,
                    .wait = WaitForSignalOrLease}),
          {{"keys", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace

std::vector<Specimen> ResendingSpecimens() {
  return {ResendMeetsItself(), ResentUnlockDenies(), UnknownIsNo(), LeftSignals()};
}

}  // namespace interlock::scenarios::specimens
