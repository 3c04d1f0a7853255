// SPDX-License-Identifier: MIT
//
// Locks that extend what is not theirs, or believe in more than they have.
#include <chrono>
#include <string_view>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// Extend by `SET key token XX PX ms`: "store it if it is there", whoever holds it by then.
// ShedLock's LockExtender, and still its default.
//
// What goes wrong: a holder outlives its lease, another one acquires, the first one extends. XX
// only asks whether there is a key, so its value is overwritten: the late client owns the lock
// again, with a full lease, while the rightful one works on. The fix is to compare with one's own
// token and prolong in one script. Lock and unlock of this specimen are correct.
Specimen ExtendOverWhoever() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> reply =
        redis.Call({"SET", attempt.key, attempt.token, "XX", "PX", Ms(attempt.lease)});
    if (!reply.ok()) return reply.status();
    if (!reply->IsStatus("OK")) return Status(StatusCode::kNotOwner, "nobody holds it");
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return Status();
  };
  return {MakeLock({.name = "broken/extend-over-whoever",
                    .summary = "extends by SET XX, and so takes the lock from whoever holds it",
                    .traits = {.can_extend = true},
                    .extend = extend}),
          {{"foreign-extend", "overstay", SynchronyClass::kNone, kChance}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// Extend brings a lost lock back: the renewal stores the key again when it is missing. swarthy's
// redis-semaphore (until 2023), RedLock.net, aioredlock, redlock-rb, redsync's SetNXOnExtend.
//
// What goes wrong: it looks like robustness. But a key that is missing means that the lease has
// ended, and in the gap another client may have come, worked and gone; or may be there still, on
// what it was promised. The old holder never learns that it was not alone. The fix: a missing key
// is a lost lock, and extend says so. Lock and unlock of this specimen are correct.
Specimen ExtendCreatesAnew() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "local owner = redis.call('get', KEYS[1]) "
        "if owner and owner ~= ARGV[1] then return 0 end "
        "redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";
    return ExtendBy(redis, attempt, kScript);
  };
  return {MakeLock({.name = "broken/extend-creates-anew",
                    .summary = "extends a lease that has ended, as if it had never been away",
                    .traits = {.can_extend = true},
                    .extend = extend}),
          {{"foreign-extend", "overstay", SynchronyClass::kNone}},
          {.clients = 1, .expiries = 1, .pauses = 1}};
}

// Extend looks for its entry, and not at the end of its lease: "update the member if it exists"
// (`ZADD ... XX`), as semaphores on sorted sets are often renewed. Whoever enters sweeps out what
// has ended; until somebody does, an entry whose time is over stands there still.
//
// What goes wrong: the extension comes late, and brings a permit back that the server had promised
// to nobody for a while. Its holder had to stop when its lease ended; and a client that counted the
// live permits meanwhile has counted one too few. The fix is to compare the entry's score with the
// server's time in the same script. Entering and leaving are correct here.
Specimen ExtendRevives() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if not redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end "
        "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
        "redis.call('pexpire', KEYS[1], ARGV[2]) "
        "return 1";
    attempt.asked = redis.runtime().Now();
    return ExtendBy(redis, attempt, AfterNow(kScript));
  };
  return {MakeLock({.name = "broken/extend-revives",
                    .summary = "extends an entry that stands there still, though its time is over",
                    .traits = {.kind = harness::Permits{}, .can_extend = true},
                    .lock = EnterPermitSet,
                    .unlock = LeavePermitSet,
                    .extend = extend,
                    .socket_timeout = std::chrono::milliseconds(1000),
                    .owners = PermitSetOwners}),
          {{"foreign-extend", "held-up-permits", SynchronyClass::kBounded}},
          {.clients = 2, .pauses = 1},
          "no explored message is held up"};
}

// Extend adds to what is left: redis-py's Lock.extend prolongs by `additional_time` on top of the
// time that the lock still has, unless it is told to replace it; and callers give it the lease.
//
// What goes wrong: a holder that renews at half time gains half a lease with each renewal, on the
// server, and believes in one lease only. Nobody notices until the holder dies: then the lock stays
// taken for as many leases as the renewals have piled up. The fix is to set the TTL to a lease from
// now. Lock and unlock of this specimen are correct.
Specimen ExtendAddsUp() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "return redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + ARGV[2])";
    attempt.asked = redis.runtime().Now();
    return ExtendBy(redis, attempt, kScript);
  };
  return {MakeLock({.name = "broken/extend-adds-up",
                    .summary = "extends by a lease on top of what is left of the last one",
                    .traits = {.can_extend = true},
                    .extend = extend}),
          {{"keys", "overstay", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1}};
}

// The extended lease is counted from the reply: redsync (until 2021) gave an extended lock its full
// time from the moment at which the call returned, and did not subtract what the call had taken.
// The acquire right beside it did.
//
// What goes wrong: as with an acquire that counts from the reply, but later, in the middle of work
// that has gone well so far: the holder believes in more than the server keeps, and the next one
// enters beside it. The fix: until = time of sending + lease - drift. Lock, unlock and script are
// correct.
Specimen ExtendFromReply() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    const Status extended = ExtendCorrectly(redis, attempt);
    if (extended.ok()) attempt.valid_until = ValidFrom(redis.runtime().Now(), attempt.lease);
    return extended;
  };
  return {MakeLock({.name = "broken/extend-from-reply",
                    .summary = "counts an extended lease from the reply, not from the command",
                    .traits = {.can_extend = true},
                    .extend = extend,
                    .retry_sleep = std::chrono::milliseconds(5)}),
          {{"belief-exclusion", "pause", SynchronyClass::kBounded, kChance}},
          {.clients = 2, .expiries = 1, .pauses = 2},
          {},
          "it looks again every 5 ms, and each look is a place for either of two pauses"};
}

// The lease is counted from the reply: "I have it now, for ten seconds." Nearly every library
// reckons so somewhere: Medallion, RedLock.net, rueidislock and redis-py's users among them.
//
// What goes wrong: the server began to count when it executed the command. What the reply took on
// its way, and what the client slept before it read it, is missing at the end: the key is gone,
// another one has it, and the first still believes. The fix is to count from the moment before the
// command was sent, which can only be too early. Lock, unlock and TTL of this specimen are correct.
Specimen ValidityFromReply() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
    attempt.valid_until = ValidFrom(redis.runtime().Now(), attempt.lease);
    return locked;
  };
  return {MakeLock({.name = "broken/validity-from-reply",
                    .summary = "counts its lease from the reply, not from the command",
                    .lock = lock}),
          {{"belief-exclusion", "pause", SynchronyClass::kBounded, kChance}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

// "Is it still valid?" is answered from memory: aioredlock (#46) kept a flag that was set by the
// acquire and cleared by the release, and by nothing else.
//
// What goes wrong: the lease runs out, another client holds, and a holder that asks before a write,
// as it should, is told yes. The care of the caller is turned into a false promise. The fix is to
// compute the answer from the deadline, each time. Lock and unlock of this specimen are correct.
Specimen ValidForEver() {
  return {MakeLock({.name = "broken/valid-for-ever",
                    .summary = "says that it is valid until it has been released",
                    .valid = [](RedisClient&, const Attempt&) { return true; }}),
          {{"false-validity", "pause", SynchronyClass::kBounded}},
          {.clients = 1, .pauses = 1}};
}

}  // namespace

std::vector<Specimen> ExtendingSpecimens() {
  return {ExtendOverWhoever(), ExtendCreatesAnew(), ExtendRevives(), ExtendAddsUp(),
          ExtendFromReply(),   ValidityFromReply(), ValidForEver()};
}

}  // namespace interlock::scenarios::specimens
