// SPDX-License-Identifier: MIT
//
// Semaphores that lose permits, or make some.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
namespace both_prime {

Status Prime(RedisClient& redis, Attempt& attempt) {
  const std::string exists = ExistsKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> there = redis.Call({"EXISTS", exists});
  if (!there.ok() || there->integer != 0) return there.status();
  if (Result<Reply> made = redis.Call({"SET", exists, "1", "PX", LifeOf(attempt)}); !made.ok()) {
    return made.status();
  }
  for (int permit = 0; permit < attempt.permits; ++permit) {
    if (Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"}); !pushed.ok()) {
      return pushed.status();
    }
  }
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/both-prime";
  recipe.summary = "looks whether its tokens exist, and then makes them";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, Prime, RecoverTokens, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"permits-belief", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 2}};
}

}  // namespace both_prime

// Permits in a counter: Redisson's RSemaphore takes one by DECR and gives it back by INCR.
//
// What goes wrong: a number does not know who has what. The holder dies and its permit is gone for
// good; the counter can only be set by hand, and setting it while somebody is inside makes too
// many. The permits of the crashed never return. The fix is a lease for each permit, with an entry
// of its own. Taking and giving back are scripts here, and the counter is renewed as long as
// anybody asks for it.
namespace counted_permits {

constexpr int kLifeInLeases = 20;

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "redis.call('set', KEYS[1], ARGV[1], 'NX') redis.call('pexpire', KEYS[1], ARGV[2]) "
      "if tonumber(redis.call('get', KEYS[1])) <= 0 then return 0 end "
      "redis.call('decr', KEYS[1]) return 1";
  attempt.token.clear();
  attempt.valid_until = kNever;
  return CallScript(redis, kScript, attempt.key,
                    {std::to_string(attempt.permits), Ms(kLifeInLeases * attempt.lease)}, 1,
                    StatusCode::kNotAcquired);
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "redis.call('incr', KEYS[1]) return redis.call('pexpire', KEYS[1], ARGV[1])";
  return CallScript(redis, kScript, attempt.key, {Ms(kLifeInLeases * attempt.lease)}, 1,
                    StatusCode::kProtocolError);
}

Specimen Make() {
  return {MakeLock({.name = "broken/counted-permits",
                    .summary = "counts its permits, and never gets back those of the dead",
                    .traits = {.kind = harness::Permits{}},
                    .lock = Lock,
                    .unlock = Unlock,
                    .owners = [](const harness::ServerView&, const harness::LockOptions&)
                        -> std::optional<std::vector<harness::Owner>> { return std::nullopt; },
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          return std::vector<harness::AuxiliaryKey>{
                              {KeyOf(options), kLifeInLeases * options.lease}};
                        }}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

}  // namespace counted_permits

// Created in three steps: GETSET decides who makes the tokens, EXPIRE guards against a crash on the
// way, and at the end the tokens are there. redis-semaphore, ever since 2012.
//
// What goes wrong: the creator dies after GETSET. The key that says "made" has no TTL, and the
// tokens never come; every later client finds that all has been done and waits. A second GETSET in
// between removes the TTL that the first had set, so that even the guard can be lost. The fix is
// one script that makes everything or nothing.
namespace created_in_steps {

Status Prime(RedisClient& redis, Attempt& attempt) {
  const std::string exists = ExistsKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> made = redis.Call({"GETSET", exists, "1"});
  if (!made.ok()) return made.status();
  if (Result<Reply> timed = redis.Call({"PEXPIRE", exists, LifeOf(attempt)}); !timed.ok()) {
    return timed.status();
  }
  if (!made->IsNil()) return Status();
  for (int permit = 0; permit < attempt.permits; ++permit) {
    if (Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"}); !pushed.ok()) {
      return pushed.status();
    }
  }
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/created-in-steps";
  recipe.summary = "says that its tokens are made before it makes them";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, Prime, RecoverTokens, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "crash", SynchronyClass::kNone, kInstant},
           {"keys", "crash", SynchronyClass::kNone, kInstant}},
          {.clients = 1}};
}

}  // namespace created_in_steps

// A token that comes back twice: redis-semaphore's signal removes its entry from the hash and
// pushes a token, whatever the removal said.
//
// What goes wrong: a holder outlives its lease, and somebody's recovery takes its token back. Then
// the late one leaves, and pushes a token as well. One permit has become two, for good: from now on
// there are always two inside. The first fix was to look whether the entry is there before pushing,
// which is the same race again; the reply of HDEL has to decide, in one script.
namespace doubled_token {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const std::string grabbed = GrabbedKey(attempt.key);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> removed = redis.Call({"HDEL", grabbed, attempt.token});
  if (!removed.ok()) return removed.status();
  const Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"});
  if (!pushed.ok()) return pushed.status();
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/doubled-token";
  recipe.summary = "gives back its token, also when it has been taken back already";
  recipe.unlock = Unlock;
  return {MakeLock(std::move(recipe)),
          {{"permits-belief", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace doubled_token

// A guard that locks out its own recovery: redis-semaphore (until 2016) let one client at a time
// look for stale tokens, and chose it by GETSET on a guard key with a TTL.
//
// What goes wrong: every GETSET removes the TTL that the winner has set. The winner dies inside, or
// merely another client asks while it works, and the guard stays for ever: nobody ever looks for
// stale tokens again. The next holder that dies takes its permit along. The fix is SET with NX and
// a TTL in one command; here the recovery that is guarded would not even need it, being one script.
namespace getset_guard {

Status Recover(RedisClient& redis, Attempt& attempt) {
  const std::string guard = attempt.key + ":guard";
  const Result<Reply> taken = redis.Call({"GETSET", guard, "1"});
  if (!taken.ok()) return taken.status();
  if (!taken->IsNil()) return Status();
  if (Result<Reply> timed = redis.Call({"PEXPIRE", guard, Ms(attempt.lease)}); !timed.ok()) {
    return timed.status();
  }
  if (Status recovered = RecoverTokens(redis, attempt); !recovered.ok()) return recovered;
  return redis.Call({"DEL", guard}).status();
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/getset-guard";
  recipe.summary = "guards its recovery with a key whose TTL every onlooker removes";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, PrimeTokens, Recover, TakeToken);
  };
  return {MakeLock(std::move(recipe)),
          {{"crash-recovery", "crash", SynchronyClass::kNone, kChance},
           {"keys", "crash", SynchronyClass::kNone, kChance}},
          {.clients = 1}};
}

}  // namespace getset_guard

// A TTL that dies with its list: redis-semaphore set the TTL of the token list when it was made
// (fixed in 2015).
//
// What goes wrong: in Redis a list without elements does not exist. Popping the last token deletes
// the list and its TTL, and the push that brings the token back makes a new list, without one. From
// then on the semaphore never goes away, whatever "expiration" its options ask for. The fix is to
// set the TTL again with every push, in one script.
namespace list_without_ttl {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('hdel', KEYS[1] .. ':grabbed', ARGV[1]) == 0 then return 0 end "
      "redis.call('rpush', KEYS[1] .. ':tokens', '1') return 1";
  return CallScript(redis, kScript, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/list-without-ttl";
  recipe.summary = "pushes its token onto a list that has lost its TTL with its last element";
  recipe.unlock = Unlock;
  return {
      MakeLock(std::move(recipe)), {{"keys", "contention", SynchronyClass::kNone}}, {.clients = 1}};
}

}  // namespace list_without_ttl

// One identifier for the whole object: the semaphore of swarthy's redis-semaphore makes its
// identifier when it is constructed, and every acquire through it enters that one into the sorted
// set of holders.
//
// What goes wrong: two tasks of a process share the object, as the API invites them to. The set has
// one member for both, so it counts one holder; any number of tasks may enter as long as the set is
// not full. And the first to leave takes the entry of all. The fix is an identifier for each hold.
// All clients of this specimen are tasks that share one object.
namespace one_id_per_object {

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.token = "b6a1c9d2-the-object";
  return EnterPermitSet(redis, attempt);
}

Specimen Make() {
  return {MakeLock({.name = "broken/one-id-per-object",
                    .summary = "enters the object, not the hold, into the set of holders",
                    .traits = {.kind = harness::Permits{}},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded}},
          {.clients = 3}};
}

}  // namespace one_id_per_object

// A token between two structures: redis-semaphore pops a token from its list with BLPOP, and then,
// as a second command, records its owner in a hash.
//
// What goes wrong: the client dies between the two, or the reply to BLPOP is lost. The token is in
// neither structure. The recovery of stale tokens looks through the hash and finds nothing that is
// missing; the semaphore has one permit less, and with one permit nobody ever enters again. The fix
// is to pop and record in one script. Everything else here is atomic.
namespace pop_then_record {

Status Take(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  const std::string tokens = TokensKey(attempt.key);
  const Result<Reply> popped =
      redis.CallUntil({"BLPOP", tokens, patience.seconds}, patience.overdue);
  if (!popped.ok()) return popped.status();
  if (!popped->IsArray()) return Status(StatusCode::kNotAcquired, "no token");
  attempt.asked = redis.runtime().Now();
  attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return RecordToken(redis, attempt);
}

Specimen Make() {
  Recipe recipe = TokenListRecipe();
  recipe.name = "broken/pop-then-record";
  recipe.summary = "pops its token first, and then writes down who has it";
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, PrimeTokens, RecoverTokens, Take);
  };
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "lossy", SynchronyClass::kNone, kChance},
           {"crash-recovery", "restart", SynchronyClass::kNone, kChance}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace pop_then_record

// One TTL for many leases: symfony/semaphore (until 2020) mixed deadlines for each entry with a TTL
// of the whole set, and got the two out of step.
//
// What goes wrong: each holder's deadline stands beside it in the sorted set, as it should. But the
// set itself gets its TTL from the client that made it, and when that time is over, Redis removes
// the set with everybody in it: later holders lose their permits in the middle of their leases,
// unnoticed, and as many others enter. The fix: the TTL of a shared key only ever grows.
namespace ttl_of_the_first {

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local time = redis.call('time') "
      "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
      "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
      "local others = redis.call('zcard', KEYS[1]) "
      "if others >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "if others == 0 then redis.call('pexpire', KEYS[1], ARGV[2]) end "
      "return 1";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                    StatusCode::kNotAcquired);
}

Specimen Make() {
  return {MakeLock({.name = "broken/ttl-of-the-first",
                    .summary = "lets the first holder's lease end the permits of all",
                    .traits = {.kind = harness::Permits{}},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded, kInstant}},
          {.clients = 3, .attempts = 2}};
}

}  // namespace ttl_of_the_first

// Permits that are stamped and swept out by the client's own time of day, as redis-semaphore and
// many a recipe with ZADD and time() do it.
//
// What goes wrong: one client's clock is set ahead of the others', by NTP or by hand. It takes all
// permits for over, sweeps them out, and enters beside their holders. The fix is the server's TIME,
// read in the script that sweeps. Leaving is correct here, and so are the holders' beliefs.
namespace sweeps_by_own_clock {

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. ARGV[4]) "
      "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', ARGV[4] + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', KEYS[1], ARGV[2])";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits),
                     std::to_string(redis.environment().wall_ms())},
                    1, StatusCode::kNotAcquired);
}

Specimen Make() {
  return {MakeLock({.name = "broken/sweeps-by-own-clock",
                    .summary = "sweeps out permits by the client's own time of day",
                    .traits = {.kind = harness::Permits{}},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"foreign-release", "chaos", SynchronyClass::kBounded,
            "nobody sets the clocks of real machines"}},
          {.clients = 2, .attempts = 1},
          "no clock is set in what is explored"};
}

}  // namespace sweeps_by_own_clock

}  // namespace

std::vector<Specimen> PermitsSpecimens() {
  return {both_prime::Make(),         counted_permits::Make(), created_in_steps::Make(),
          doubled_token::Make(),      getset_guard::Make(),    list_without_ttl::Make(),
          one_id_per_object::Make(),  pop_then_record::Make(), ttl_of_the_first::Make(),
          sweeps_by_own_clock::Make()};
}

}  // namespace interlock::scenarios::specimens
