// SPDX-License-Identifier: MIT
//
// Locks of readers and writers.
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

/// "1" if the client goes on to wait when it is not let in, else "0".
std::string_view SaysWhetherItWaits(RedisClient& redis, const Attempt& attempt) {
  const bool waits = attempt.deadline.has_value() && redis.runtime().Now() < *attempt.deadline;
  return waits ? "1" : "0";
}

// Readers in a counter: INCR on the way in, DECR on the way out, and a writer enters when it shows
// zero. What every textbook does in memory, and many have done in Redis.
//
// What goes wrong: a reader dies between the two, and the counter never shows zero again. A TTL on
// the counter does not help, since every later reader renews it. The fix is an entry with a lease
// for each reader. Entering and leaving are scripts here, and the writer is as it should be.
Specimen CountedReaders() {
  static constexpr int kLifeInLeases = 20;
  const auto enter = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kReader =
        "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
        "redis.call('incr', readers) return redis.call('pexpire', readers, ARGV[1])";
    constexpr std::string_view kWriter =
        "if tonumber(redis.call('get', readers) or 0) > 0 then return 0 end "
        "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
    if (attempt.shared) {
      attempt.token.clear();
      attempt.valid_until = kNever;
      return CallReaders(redis, kReader, attempt, {Ms(kLifeInLeases * attempt.lease)},
                         StatusCode::kNotAcquired);
    }
    return EnterBy(redis, attempt, kWriter);
  };
  const auto leave = [](RedisClient& redis, Attempt& attempt) {
    if (!attempt.shared) return UnlockCorrectly(redis, attempt);
    constexpr std::string_view kReader =
        "if redis.call('decr', readers) <= 0 then redis.call('del', readers) end return 1";
    return CallReaders(redis, kReader, attempt, {}, StatusCode::kProtocolError);
  };
  return {MakeLock({.name = "broken/counted-readers",
                    .summary = "counts its readers, and waits for ever for those who died",
                    .traits = {.kind = harness::Readers{}},
                    .lock = enter,
                    .unlock = leave,
                    .owners = NoOwners,
                    .auxiliary = {{":readers", kLifeInLeases}}}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

// The last to leave turns off the light: the read unlock takes its own entry out, and if no reader
// is left it deletes the lock. In Redisson's RReadWriteLock (changelog; #891, #1542) a read unlock
// removed the write lock.
//
// What goes wrong: a reader comes back when its lease is over. A writer has entered meanwhile; no
// reader is left, and the late one deletes the writer's key. The fix is to look at owner and mode
// in the script that deletes, or to delete nothing but one's own entry.
Specimen LastReaderDeletes() {
  const auto leave = [](RedisClient& redis, Attempt& attempt) {
    if (!attempt.shared) return UnlockCorrectly(redis, attempt);
    constexpr std::string_view kReader =
        "local till = redis.call('zscore', readers, ARGV[1]) "
        "redis.call('zrem', readers, ARGV[1]) "
        "if redis.call('zcount', readers, ms(now), '+inf') == 0 then "
        "  redis.call('del', KEYS[1], readers) end "
        "return till and tonumber(till) >= now and 1 or 0";
    return CallReaders(redis, kReader, attempt, {attempt.token}, StatusCode::kNotOwner);
  };
  return {MakeLock(
              ReadersRecipe("broken/last-reader-deletes",
                            "the last reader that leaves takes away the whole lock, whoever has it",
                            {.unlock = leave})),
          {{"foreign-release", "overstay", SynchronyClass::kNone, kChance}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// Two steps for a writer: it counts the readers, and if there are none it takes its key with SET
// NX. A mistake of our own invention, of the kind that exists-then-set is for a plain lock.
//
// What goes wrong: a reader enters between the two. SET NX keeps other writers out, but knows of no
// readers, so that the two are inside together. The fix is one script for both. All else of this
// specimen is correct.
Specimen LooksThenWrites() {
  const auto enter = [](RedisClient& redis, Attempt& attempt) {
    if (attempt.shared) return EnterCorrectly(redis, attempt);
    constexpr std::string_view kLook =
        "return redis.call('zcount', readers, ms(now), '+inf') == 0 and 1 or 0";
    if (Status free = CallReaders(redis, kLook, attempt, {}, StatusCode::kNotAcquired);
        !free.ok()) {
      return free;
    }
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock(ReadersRecipe("broken/looks-then-writes",
                                 "a writer looks for readers in one step, and enters in the next",
                                 {.lock = enter})),
          {{"server-exclusion", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2}};
}

// One renewal for all: a reader that extends its lease moves the deadlines of all readers, as
// Redisson's RReadWriteLock did until 2026 (bfbf73d0b).
//
// What goes wrong: a reader that has died, or whose time is over, is kept alive by those that have
// come after it, and a writer waits for a reader that nobody is. The fix is to renew one's own
// entry only.
Specimen RenewsAllReaders() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    if (!attempt.shared) return ExtendCorrectly(redis, attempt);
    constexpr std::string_view kReader =
        "local till = redis.call('zscore', readers, ARGV[1]) "
        "if not till or tonumber(till) < now then return 0 end "
        "for _, reader in ipairs(redis.call('zrange', readers, 0, -1)) do "
        "  redis.call('zadd', readers, ms(now + ARGV[2]), reader) end "
        "return redis.call('pexpire', readers, ARGV[2])";
    const Status extended = CallReaders(redis, kReader, attempt, {attempt.token, Ms(attempt.lease)},
                                        StatusCode::kNotOwner);
    if (extended.ok()) attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return extended;
  };
  Recipe recipe = ReadersRecipe("broken/renews-all-readers",
                                "a reader that extends its lease extends those of all readers");
  recipe.traits.can_extend = true;
  recipe.extend = extend;
  return {MakeLock(std::move(recipe)),
          {{"foreign-extend", "overstay", SynchronyClass::kNone}},
          {.clients = 2}};
}

// Readers one by one: to be on the safe side, a reader is let in if nobody is inside at all. So ran
// Redisson's readers after the release of a write lock, once (changelog of RReadWriteLock).
//
// What goes wrong: nothing that a test of exclusion would see. A reader is told "no" although
// nobody writes, and what was meant to be read by many is read by one at a time. The fix is not to
// look at the other readers.
Specimen ReadersOneByOne() {
  const auto enter = [](RedisClient& redis, Attempt& attempt) {
    if (!attempt.shared) return EnterCorrectly(redis, attempt);
    constexpr std::string_view kReader =
        "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
        "if redis.call('zcount', readers, ms(now), '+inf') > 0 then return 0 end "
        "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
        "return redis.call('pexpire', readers, ARGV[2])";
    return EnterBy(redis, attempt, kReader);
  };
  return {MakeLock(ReadersRecipe("broken/readers-one-by-one",
                                 "readers exclude each other like writers", {.lock = enter})),
          {{"spurious-refusal", "contention", SynchronyClass::kNone,
            "whoever asks beside others may be refused for their sake"}},
          {.clients = 2}};
}

// Writers first: a writer that waits puts its name into a set, and no new reader is let in while
// there is one. The preference that every textbook asks for, without a lease. A mistake of our own
// invention.
//
// What goes wrong: the writer dies while it waits. Nobody takes its name out, every other writer
// renews the set's TTL, and readers stand before an empty room. The fix is a deadline for each
// name, which its owner has to renew. A writer that gives up takes its name out here, as it should.
Specimen DeadWriterFirst() {
  static constexpr int kLifeInLeases = 20;
  const auto enter = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kReader =
        "if redis.call('exists', KEYS[1], KEYS[1] .. ':writers') > 0 then return 0 end "
        "redis.call('zremrangebyscore', readers, '-inf', ms(now - 1)) "
        "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
        "return redis.call('pexpire', readers, ARGV[2])";
    constexpr std::string_view kWriter =
        "local writers = KEYS[1] .. ':writers' "
        "redis.call('srem', writers, ARGV[3]) "
        "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
        "  redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
        "if ARGV[4] == '1' then redis.call('sadd', writers, ARGV[3]) "
        "  redis.call('pexpire', writers, ARGV[5]) end "
        "return 0";
    const std::string_view waits = SaysWhetherItWaits(redis, attempt);
    if (attempt.shared) return EnterBy(redis, attempt, kReader);
    return CallReaders(redis, kWriter, attempt,
                       {attempt.token, Ms(attempt.lease), attempt.client, waits,
                        Ms(kLifeInLeases * attempt.lease)},
                       StatusCode::kNotAcquired);
  };
  Recipe recipe =
      ReadersRecipe("broken/dead-writer-first",
                    "readers wait for a writer that waits, though it is dead", {.lock = enter});
  recipe.traits.kind = harness::Readers{.prefers_writers = true};
  recipe.auxiliary = {{":writers", kLifeInLeases}};
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "crash", SynchronyClass::kNone, kInstant}},
          {.clients = 2, .attempts = 2, .crashes = 1}};
}

// A newcomer joins those inside: a writer that waits keeps readers from coming in first, but where
// there are readers already, one more seems to do no harm, so nobody looks for writers there. A
// mistake of our own invention, as it stands in many a readers/writer lock in memory.
//
// What goes wrong: readers overlap, so the room is never empty, and the writer that was to be
// preferred waits for as long as readers come. The fix is to look for waiting writers in both
// cases. A writer's name lives for a lease here and is renewed by each of its tries, as it should.
Specimen ReadersJoin() {
  const auto enter = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kReader =
        "if redis.call('exists', KEYS[1]) > 0 then return 0 end "
        "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
        "  redis.call('zcount', KEYS[1] .. ':writers', ms(now), '+inf') > 0 then return 0 end "
        "redis.call('zremrangebyscore', readers, '-inf', ms(now - 1)) "
        "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
        "return redis.call('pexpire', readers, ARGV[2])";
    constexpr std::string_view kWriter =
        "local writers = KEYS[1] .. ':writers' "
        "redis.call('zrem', writers, ARGV[3]) "
        "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
        "  redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
        "if ARGV[4] == '1' then redis.call('zadd', writers, ms(now + ARGV[2]), ARGV[3]) "
        "  redis.call('pexpire', writers, ARGV[2]) end "
        "return 0";
    const std::string_view waits = SaysWhetherItWaits(redis, attempt);
    if (attempt.shared) return EnterBy(redis, attempt, kReader);
    return CallReaders(redis, kWriter, attempt,
                       {attempt.token, Ms(attempt.lease), attempt.client, waits},
                       StatusCode::kNotAcquired);
  };
  Recipe recipe = ReadersRecipe(
      "broken/readers-join", "prefers writers that wait, except where readers are inside already",
      {.lock = enter});
  recipe.traits.kind = harness::Readers{.prefers_writers = true};
  recipe.auxiliary = {{":writers"}};
  return {MakeLock(std::move(recipe)),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 3, .attempts = 2}};
}

}  // namespace

std::vector<Specimen> SharingSpecimens() {
  return {CountedReaders(),  LastReaderDeletes(), LooksThenWrites(), RenewsAllReaders(),
          ReadersOneByOne(), DeadWriterFirst(),   ReadersJoin()};
}

}  // namespace interlock::scenarios::specimens
