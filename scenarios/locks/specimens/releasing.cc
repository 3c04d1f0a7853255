// SPDX-License-Identifier: MIT
//
// Locks that take more away by a release than their own hold, or less, or do not come back from it.
#include <string>
#include <utility>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// EXISTS, GET, compare, DEL: the first unlock of the second founding text, there shown as what not
// to write. It does ask whose lock it is; but the answer is old when the DEL arrives.
//
// What goes wrong: after the comparison the lease runs out, Redis removes the key, another client
// locks, and the DEL releases that client's lock. It takes a pause or a delay of the rest of the
// lease at just that place, which is why it passes every test and then happens in production. Seen
// in Spring Integration (2023), leshan, kombu. The fix is to compare and delete in one Lua script.
// The lock of this specimen is the correct one.
Specimen GetCompareDel() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    const Status present =
        ExpectInteger(redis.Call({"EXISTS", attempt.key}), 1, StatusCode::kNotOwner);
    if (!present.ok()) return present;
    const Result<Reply> value = redis.Call({"GET", attempt.key});
    if (!value.ok()) return value.status();
    if (value->text != attempt.token) return Status(StatusCode::kNotOwner, "another's lock");
    return ExpectInteger(redis.Call({"DEL", attempt.key}), 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/get-compare-del",
                    .summary = "unlocks by GET, a comparison in the client, and DEL",
                    .unlock = unlock,
                    .folds_errors = true}),
          {{"foreign-release", "pause", SynchronyClass::kArbitrary, kInstant}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// Unlock by plain DEL: the third condition of the first founding text ("the one who locked
// unlocks"), broken. The value says whose lock it is, and nobody looks.
//
// What goes wrong: a holder that works longer than its lease unlocks all the same. The key has
// expired, another client has taken it, and the DEL releases that client's lock; a third one enters
// beside the second, whose own late DEL then lets in a fourth. No fault is needed, only work that
// takes longer than somebody thought. Seen in Laravel (until 2018), celery-once, redis-objects,
// ShedLock (still the default). The fix is to compare and delete in one Lua script. The lock of
// this specimen is the correct one.
Specimen DelWithoutOwner() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    return ExpectInteger(redis.Call({"DEL", attempt.key}), 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/del-without-owner",
                    .summary = "unlocks by DEL, whoever holds the lock by then",
                    .unlock = unlock,
                    .folds_errors = true}),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// The token is forgotten before the server has answered: redis-py's locks clear their own token and
// then run the script that deletes the key (the asynchronous one until 2026).
//
// What goes wrong: the command is lost, or its caller is cancelled. The lock is still held, for the
// rest of its TTL; but the object no longer knows the token. Whoever does the right thing and
// releases once more is told "not owned", and believes that all is well. The fix is to forget the
// token only when the server has said that it is gone. Here the caller who does the right thing is
// built in.
Specimen TokenClearedFirst() {
  const auto unlock_once = [](RedisClient& redis, Attempt& attempt) {
    const std::string token = std::exchange(attempt.token, std::string());
    if (token.empty()) return Status(StatusCode::kNotOwner, "cannot release an unlocked lock");
    return CompareAndDelete(redis, attempt.key, token);
  };
  const auto unlock = [unlock_once](RedisClient& redis, Attempt& attempt) {
    const Status unlocked = unlock_once(redis, attempt);
    return Failed(unlocked, StatusCode::kNotOwner) ? unlock_once(redis, attempt) : unlocked;
  };
  return {MakeLock({.name = "broken/token-cleared-first",
                    .summary = "forgets its token before it knows that the release has arrived",
                    .unlock = unlock}),
          {{"keys", "lossy", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .lost_replies = 1}};
}

// "It has expired anyway": node-redlock (2015) did not send the unlock of a lock whose validity had
// ended by its own reckoning, and had the clean-up after a failed acquire commented out.
//
// What goes wrong: the validity is reckoned with an allowance for drift and for the way there, so
// the key lives longer than its owner's belief; with a slow clock on the server, much longer. The
// release says that all is over, and the key goes on. The fix is to send the release always:
// compare-and-delete harms nobody, whoever holds by then.
Specimen SkipsLateUnlock() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    if (redis.runtime().Now() >= attempt.valid_until) {
      return Status(StatusCode::kLeaseLost, "expired, nothing to do");
    }
    return UnlockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/skips-late-unlock",
                    .summary = "sends no unlock when the lease is over by its own reckoning",
                    .unlock = unlock}),
          {{"keys", "overstay", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .pauses = 1}};
}

// The owner is a host name and a process id: mlanett/redis-lock writes who it is instead of a token
// of its own for each hold. Two threads of one process are the same owner.
//
// What goes wrong: one thread outlives its lease, another thread of the same process acquires, the
// first one unlocks. The value compares equal, the script deletes, and the lock of the second
// thread is gone. Comparing and deleting in one step does not help if the value says too little.
// The fix is a random token for each hold. All clients of this specimen are threads of one process.
Specimen HostAndPid() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    attempt.token = "worker-7.example:4711";
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/host-and-pid",
                    .summary = "its owner is the process, so threads release each other's locks",
                    .lock = lock}),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// The owner is told by the first digits of its token, as a commit is: eight of them are shown in
// the logs, and somebody debugging by the logs stores and compares no more. A mistake of our own
// invention.
//
// What goes wrong: nothing, as long as the digits are random. But identifiers that come from one
// machine, or from a counter after a fixed part, differ at their ends only; then two clients are
// the same owner, and one releases what the other holds. The fix is to compare the whole token. All
// else on this specimen is correct: it compares and deletes in one step.
Specimen ShortToken() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::size_t kShown = 8;
    attempt.token.resize(kShown);
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/short-token",
                    .summary = "its owner is told by the first eight digits of the token",
                    .lock = lock}),
          {{"foreign-release", "alike-tokens", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1},
          "random bytes that are alike are no fault of the explored world"};
}

// "A release must not be lost": it is repeated until the server says that it has deleted the entry.
// A mistake of our own invention.
//
// What goes wrong: nothing while holders are in time, and a lost reply does no harm. But after the
// end of the lease there is nothing to delete, the server says so, and the release asks again, for
// ever. The fix is to take that answer for what it is: the lock is not held any more. All else on
// this specimen is correct.
Specimen InsistsOnItsRelease() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    for (;;) {
      const Status deleted = UnlockCorrectly(redis, attempt);
      if (deleted.code() != StatusCode::kNotOwner) return deleted;
    }
  };
  return {MakeLock({.name = "broken/insists-on-its-release",
                    .summary = "repeats its release until there was something to delete",
                    .unlock = unlock}),
          {{"termination", "chaos", SynchronyClass::kBounded}},
          {.clients = 1, .pauses = 1},
          "it goes round in circles, and where commands take no time there is no end to that"};
}

}  // namespace

std::vector<Specimen> ReleasingSpecimens() {
  return {GetCompareDel(), DelWithoutOwner(), TokenClearedFirst(),  SkipsLateUnlock(),
          HostAndPid(),    ShortToken(),      InsistsOnItsRelease()};
}

}  // namespace interlock::scenarios::specimens
