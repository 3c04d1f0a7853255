// SPDX-License-Identifier: MIT
//
// Semaphores that lose permits, or make some.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/token_list.h"

namespace interlock::scenarios::specimens {
namespace {

// Two clients make the tokens: redis-semaphore in 2012 asked whether its list existed, and if not,
// created it.
//
// What goes wrong: two clients ask before either of them has created anything. Both push n tokens,
// 2 n clients enter, and since every token comes back, it stays so. It takes two clients and a
// semaphore that nobody has used before. The fix is one command, or one script, that decides who
// makes them.
Specimen BothPrime() {
  const auto prime = [](RedisClient& redis, Attempt& attempt) {
    const std::string exists = ExistsKey(attempt.key);
    const Result<Reply> there = redis.Call({"EXISTS", exists});
    if (!there.ok() || there->integer != 0) return there.status();
    if (Result<Reply> made = redis.Call({"SET", exists, "1", "PX", LifeOf(attempt)}); !made.ok()) {
      return made.status();
    }
    return PushTokens(redis, attempt);
  };
  return {MakeLock(TokenListRecipe("broken/both-prime",
                                   "looks whether its tokens exist, and then makes them",
                                   {.prime = prime})),
          {{"permits-belief", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2}};
}

// Permits in a counter: Redisson's RSemaphore takes one by DECR and gives it back by INCR.
//
// What goes wrong: a number does not know who has what. The holder dies and its permit is gone for
// good; the counter can only be set by hand, and setting it while somebody is inside makes too
// many. The permits of the crashed never return. The fix is a lease for each permit, with an entry
// of its own. Taking and giving back are scripts here, and the counter is renewed as long as
// anybody asks for it.
Specimen CountedPermits() {
  static constexpr int kLifeInLeases = 20;
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "redis.call('set', KEYS[1], ARGV[1], 'NX') redis.call('pexpire', KEYS[1], ARGV[2]) "
        "if tonumber(redis.call('get', KEYS[1])) <= 0 then return 0 end "
        "redis.call('decr', KEYS[1]) return 1";
    attempt.token.clear();
    attempt.valid_until = kNever;
    return CallScript(redis, kScript, attempt.key,
                      {std::to_string(attempt.permits), Ms(kLifeInLeases * attempt.lease)}, 1,
                      StatusCode::kNotAcquired);
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "redis.call('incr', KEYS[1]) return redis.call('pexpire', KEYS[1], ARGV[1])";
    return CallScript(redis, kScript, attempt.key, {Ms(kLifeInLeases * attempt.lease)}, 1,
                      StatusCode::kProtocolError);
  };
  return {MakeLock({.name = "broken/counted-permits",
                    .summary = "counts its permits, and never gets back those of the dead",
                    .traits = {.kind = harness::Permits{}},
                    .lock = lock,
                    .unlock = unlock,
                    .owners = NoOwners,
                    .auxiliary = {{"", kLifeInLeases}}}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

// Created in three steps: GETSET decides who makes the tokens, EXPIRE guards against a crash on the
// way, and at the end the tokens are there. redis-semaphore, ever since 2012.
//
// What goes wrong: the creator dies after GETSET. The key that says "made" has no TTL, and the
// tokens never come; every later client finds that all has been done and waits. A second GETSET in
// between removes the TTL that the first had set, so that even the guard can be lost. The fix is
// one script that makes everything or nothing.
Specimen CreatedInSteps() {
  const auto prime = [](RedisClient& redis, Attempt& attempt) {
    const std::string exists = ExistsKey(attempt.key);
    const Result<Reply> made = redis.Call({"GETSET", exists, "1"});
    if (!made.ok()) return made.status();
    if (Result<Reply> timed = redis.Call({"PEXPIRE", exists, LifeOf(attempt)}); !timed.ok()) {
      return timed.status();
    }
    if (!made->IsNil()) return Status();
    return PushTokens(redis, attempt);
  };
  return {MakeLock(TokenListRecipe("broken/created-in-steps",
                                   "says that its tokens are made before it makes them",
                                   {.prime = prime})),
          {{"deadlock", "crash", SynchronyClass::kNone, kInstant},
           {"keys", "crash", SynchronyClass::kNone, kInstant}},
          {.clients = 1}};
}

// A token that comes back twice: redis-semaphore's signal removes its entry from the hash and
// pushes a token, whatever the removal said.
//
// What goes wrong: a holder outlives its lease, and somebody's recovery takes its token back. Then
// the late one leaves, and pushes a token as well. One permit has become two, for good: from now on
// there are always two inside. The first fix was to look whether the entry is there before pushing,
// which is the same race again; the reply of HDEL has to decide, in one script.
Specimen DoubledToken() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    const std::string grabbed = GrabbedKey(attempt.key);
    const std::string tokens = TokensKey(attempt.key);
    const Result<Reply> removed = redis.Call({"HDEL", grabbed, attempt.token});
    if (!removed.ok()) return removed.status();
    const Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"});
    if (!pushed.ok()) return pushed.status();
    return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
  };
  return {MakeLock(TokenListRecipe("broken/doubled-token",
                                   "gives back its token, also when it has been taken back already",
                                   {.unlock = unlock})),
          {{"permits-belief", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2, .expiries = 1, .pauses = 1}};
}

// A guard that locks out its own recovery: redis-semaphore (until 2016) let one client at a time
// look for stale tokens, and chose it by GETSET on a guard key with a TTL.
//
// What goes wrong: every GETSET removes the TTL that the winner has set. The winner dies inside, or
// merely another client asks while it works, and the guard stays for ever: nobody ever looks for
// stale tokens again. The next holder that dies takes its permit along. The fix is SET with NX and
// a TTL in one command; here the recovery that is guarded would not even need it, being one script.
Specimen GetsetGuard() {
  const auto recover = [](RedisClient& redis, Attempt& attempt) {
    const std::string guard = attempt.key + ":guard";
    const Result<Reply> taken = redis.Call({"GETSET", guard, "1"});
    if (!taken.ok()) return taken.status();
    if (!taken->IsNil()) return Status();
    if (Result<Reply> timed = redis.Call({"PEXPIRE", guard, Ms(attempt.lease)}); !timed.ok()) {
      return timed.status();
    }
    if (Status recovered = RecoverTokens(redis, attempt); !recovered.ok()) return recovered;
    return redis.Call({"DEL", guard}).status();
  };
  return {
      MakeLock(TokenListRecipe("broken/getset-guard",
                               "guards its recovery with a key whose TTL every onlooker removes",
                               {.recover = recover})),
      {{"crash-recovery", "crash", SynchronyClass::kNone, kChance},
       {"keys", "crash", SynchronyClass::kNone, kChance}},
      {.clients = 1}};
}

// A TTL that dies with its list: redis-semaphore set the TTL of the token list when it was made
// (fixed in 2015).
//
// What goes wrong: in Redis a list without elements does not exist. Popping the last token deletes
// the list and its TTL, and the push that brings the token back makes a new list, without one. From
// then on the semaphore never goes away, whatever "expiration" its options ask for. The fix is to
// set the TTL again with every push, in one script.
Specimen ListWithoutTtl() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('hdel', KEYS[1] .. ':grabbed', ARGV[1]) == 0 then return 0 end "
        "redis.call('rpush', KEYS[1] .. ':tokens', '1') return 1";
    return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
  };
  return {MakeLock(TokenListRecipe(
              "broken/list-without-ttl",
              "pushes its token onto a list that has lost its TTL with its last element",
              {.unlock = unlock})),
          {{"keys", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

// One identifier for the whole object: the semaphore of swarthy's redis-semaphore makes its
// identifier when it is constructed, and every acquire through it enters that one into the sorted
// set of holders.
//
// What goes wrong: two tasks of a process share the object, as the API invites them to. The set has
// one member for both, so it counts one holder; any number of tasks may enter as long as the set is
// not full. And the first to leave takes the entry of all. The fix is an identifier for each hold.
// All clients of this specimen are tasks that share one object.
Specimen OneIdPerObject() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    attempt.token = "b6a1c9d2-the-object";
    return EnterPermitSet(redis, attempt);
  };
  return {MakeLock({.name = "broken/one-id-per-object",
                    .summary = "enters the object, not the hold, into the set of holders",
                    .traits = {.kind = harness::Permits{}},
                    .lock = lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded}},
          {.clients = 3}};
}

// A token between two structures: redis-semaphore pops a token from its list with BLPOP, and then,
// as a second command, records its owner in a hash.
//
// What goes wrong: the client dies between the two, or the reply to BLPOP is lost. The token is in
// neither structure. The recovery of stale tokens looks through the hash and finds nothing that is
// missing; the semaphore has one permit less, and with one permit nobody ever enters again. The fix
// is to pop and record in one script. Everything else here is atomic.
Specimen PopThenRecord() {
  const auto take = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> popped = BlockingPop(redis, attempt, TokensKey(attempt.key), attempt.lease);
    if (!popped.ok()) return popped.status();
    if (!popped->IsArray()) return Status(StatusCode::kNotAcquired, "no token");
    attempt.asked = redis.runtime().Now();
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return RecordToken(redis, attempt);
  };
  return {MakeLock(TokenListRecipe("broken/pop-then-record",
                                   "pops its token first, and then writes down who has it",
                                   {.take = take})),
          {{"deadlock", "lossy", SynchronyClass::kNone, kChance},
           {"crash-recovery", "restart", SynchronyClass::kNone, kChance}},
          {.clients = 1, .lost_replies = 1}};
}

// One TTL for many leases: symfony/semaphore (until 2020) mixed deadlines for each entry with a TTL
// of the whole set, and got the two out of step.
//
// What goes wrong: each holder's deadline stands beside it in the sorted set, as it should. But the
// set itself gets its TTL from the client that made it, and when that time is over, Redis removes
// the set with everybody in it: later holders lose their permits in the middle of their leases,
// unnoticed, and as many others enter. The fix: the TTL of a shared key only ever grows.
Specimen TtlOfTheFirst() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
        "local others = redis.call('zcard', KEYS[1]) "
        "if others >= tonumber(ARGV[3]) then return 0 end "
        "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
        "if others == 0 then redis.call('pexpire', KEYS[1], ARGV[2]) end "
        "return 1";
    return CallScript(redis, AfterNow(kScript), attempt.key,
                      {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                      StatusCode::kNotAcquired);
  };
  return {MakeLock({.name = "broken/ttl-of-the-first",
                    .summary = "lets the first holder's lease end the permits of all",
                    .traits = {.kind = harness::Permits{}},
                    .lock = lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded, kInstant}},
          {.clients = 3, .attempts = 2}};
}

// Permits that are stamped and swept out by the client's own time of day, as redis-semaphore and
// many a recipe with ZADD and time() do it.
//
// What goes wrong: one client's clock is set ahead of the others', by NTP or by hand. It takes all
// permits for over, sweeps them out, and enters beside their holders. The fix is the server's TIME,
// read in the script that sweeps. Leaving is correct here, and so are the holders' beliefs.
Specimen SweepsByOwnClock() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. ARGV[4]) "
        "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
        "redis.call('zadd', KEYS[1], string.format('%.0f', ARGV[4] + ARGV[2]), ARGV[1]) "
        "return redis.call('pexpire', KEYS[1], ARGV[2])";
    return CallScript(redis, kScript, attempt.key,
                      {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits),
                       std::to_string(redis.environment().wall_ms())},
                      1, StatusCode::kNotAcquired);
  };
  return {MakeLock({.name = "broken/sweeps-by-own-clock",
                    .summary = "sweeps out permits by the client's own time of day",
                    .traits = {.kind = harness::Permits{}},
                    .lock = lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"foreign-release", "chaos", SynchronyClass::kBounded,
            "nobody sets the clocks of real machines"}},
          {.clients = 2, .attempts = 1},
          "no clock is set in what is explored"};
}

}  // namespace

std::vector<Specimen> PermitsSpecimens() {
  return {BothPrime(),     CountedPermits(),  CreatedInSteps(), DoubledToken(),
          GetsetGuard(),   ListWithoutTtl(),  OneIdPerObject(), PopThenRecord(),
          TtlOfTheFirst(), SweepsByOwnClock()};
}

}  // namespace interlock::scenarios::specimens
