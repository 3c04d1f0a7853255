// SPDX-License-Identifier: MIT
//
// Locks whose fencing tokens do not grow with every grant, or stop nobody.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// Fencing tokens from a counter `<key>:fence`. When it is drawn from, and how long it lives after
// that, is each specimen's own; by default a day.

constexpr auto kFenceTtl = std::chrono::hours(24);

/// Locks and draws in one script; the counter lives for `ttl` from then on.
Status LockAndCount(RedisClient& redis, Attempt& attempt, std::chrono::milliseconds ttl) {
  constexpr std::string_view kScript =
      "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[3]) "
      "return fence";
  const Result<Reply> granted =
      redis.Call({"EVAL", kScript, "1", attempt.key, attempt.token, Ms(attempt.lease), Ms(ttl)});
  if (!granted.ok()) return granted.status();
  attempt.fencing_token = static_cast<std::uint64_t>(granted->integer);
  return granted->integer > 0 ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

Status LockAndCountForADay(RedisClient& redis, Attempt& attempt) {
  return LockAndCount(redis, attempt, kFenceTtl);
}

/// Draws the next number as the attempt's fencing token.
Status DrawFence(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kDraw =
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[1]) "
      "return fence";
  const Result<Reply> drawn = redis.Call({"EVAL", kDraw, "1", attempt.key, Ms(kFenceTtl)});
  if (!drawn.ok()) return drawn.status();
  attempt.fencing_token = static_cast<std::uint64_t>(drawn->integer);
  return Status();
}

/// The counter, for Recipe::auxiliary.
constexpr KeyBeside kFenceBeside{.ending = ":fence", .ttl = kFenceTtl};

// A fencing token of random bytes: the unique value that every Redlock client already has, offered
// as a fence. It is the first objection in Kleppmann's article of 2016.
//
// What goes wrong: a fence must tell the later grant from the earlier one, so that the storage can
// refuse who comes too late. Random values have no order: half of all rightful holders look older
// than their predecessors, and are refused or, worse, the stale one is let in. The fix is a number
// that the server counts up with every grant. Lock and unlock of this specimen are correct.
Specimen RandomFence() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    attempt.fencing_token = std::stoull(attempt.token.substr(0, 15), nullptr, 16);
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/random-fence",
                    .summary = "fences with random numbers, which have no order",
                    .traits = {.fencing = true},
                    .lock = lock}),
          {{"tokens", "contention", SynchronyClass::kNone},
           {"fenced-writes", "guarded", SynchronyClass::kArbitrary}},
          {.clients = 1, .attempts = 2}};
}

// The number is drawn before the lock is taken: INCR for the fencing token, then SET NX, as in many
// a recipe that adds fencing to a lock that is already there.
//
// What goes wrong: the order of the numbers is the order in which clients asked, not in which they
// were granted. One draws 7 and waits; another draws 8, is quicker when the lock is freed, writes,
// unlocks; the first locks and writes with 7. The storage has seen 8 and refuses the rightful
// holder. No fault is needed. The fix is to count within the script that grants. Lock and unlock of
// this specimen are correct.
Specimen FenceBeforeLock() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    if (attempt.fencing_token.has_value()) return LockCorrectly(redis, attempt);
    if (Status drawn = DrawFence(redis, attempt); !drawn.ok()) return drawn;
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/fence-before-lock",
                    .summary = "draws its fencing token first, and takes the lock afterwards",
                    .traits = {.fencing = true},
                    .lock = lock,
                    .auxiliary = {kFenceBeside}}),
          {{"tokens", "contention", SynchronyClass::kNone, kInstant},
           {"fenced-writes", "guarded", SynchronyClass::kBounded, kInstant}},
          {.clients = 2}};
}

// A fence that is drawn anew with every extension: the server counts it up, as it should, and the
// numbers grow from grant to grant. But a holder that extends first gets a fresh number, "so that
// the storage sees that I am alive", and only then learns whether the lease could be extended.
//
// What goes wrong: a holder that was paused past its lease extends when it wakes. The extension is
// refused, rightly; its number is the highest of all by then. It has one more write to do, sends it
// with that number, and the storage takes it for the latest holder; the rightful one is refused
// from now on. The fix: a fencing token belongs to the grant, and is drawn in the step that grants,
// nowhere else. Lock and unlock of this specimen are correct, and so is what extend does to the
// lease. `interlock explore` cannot convict it: in the world that it explores, nothing is guarded.
Specimen FenceDrawnAnew() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    if (Status drawn = DrawFence(redis, attempt); !drawn.ok()) return drawn;
    return ExtendCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/fence-drawn-anew",
                    .summary = "draws a new fencing token with every extension, granted or not",
                    .traits = {.can_extend = true, .fencing = true},
                    .lock = LockAndCountForADay,
                    .extend = extend,
                    .auxiliary = {kFenceBeside}}),
          {{"fenced-writes", "kleppmann.k1f", SynchronyClass::kArbitrary}},
          {.clients = 2, .expiries = 1, .pauses = 1},
          "its client writes without another look at its validity, and the explored ones look"};
}

// A counter that forgets: the fencing token is counted by INCR inside the granting script, as it
// should be, and the counter gets the TTL of the lock, "so that nothing is left behind".
//
// What goes wrong: nobody asks for the lock for as long as a lease, the counter expires, and the
// next grant is number 1 again. A storage that has seen 7 refuses every holder from now on; or
// somebody resets the storage, and then the stale holder with 7 gets in. The same happens when the
// server that counts loses its data. The fix: the counter outlives every client that may still
// carry one of its numbers. Lock and unlock of this specimen are correct.
Specimen FenceForgets() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    return LockAndCount(redis, attempt, attempt.lease);
  };
  return {MakeLock({.name = "broken/fence-forgets",
                    .summary = "counts its fencing tokens in a key that expires with the lock",
                    .traits = {.fencing = true},
                    .lock = lock}),
          {{"tokens", "contention", SynchronyClass::kNone},
           {"tokens", "kleppmann.k9", SynchronyClass::kNone},
           {"fenced-writes", "guarded", SynchronyClass::kArbitrary}},
          {.clients = 1, .attempts = 2}};
}

// A counter for a day: the fencing token is counted in the granting script, and since "every key
// has a TTL", the counter lives for 24 hours from the last grant on.
//
// What goes wrong: nothing, on working days. After a long weekend the counter is gone, the first
// grant is number 1, and the storage, which remembers Friday's 51,973, refuses every write until
// somebody deletes that number; from then on it accepts whoever still carries an old one. The fix:
// no TTL; or numbers that cannot fall back, such as the greater of the last one plus one and the
// server's time.
Specimen FenceForADay() {
  return {MakeLock({.name = "broken/fence-for-a-day",
                    .summary = "its fencing tokens begin again when nobody has asked for a day",
                    .traits = {.fencing = true},
                    .lock = LockAndCountForADay,
                    .auxiliary = {kFenceBeside}}),
          {{"tokens", "idle", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2},
          "no explored client thinks for a day"};
}

}  // namespace

std::vector<Specimen> FencingSpecimens() {
  return {RandomFence(), FenceBeforeLock(), FenceDrawnAnew(), FenceForgets(), FenceForADay()};
}

}  // namespace interlock::scenarios::specimens
