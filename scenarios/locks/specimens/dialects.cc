// SPDX-License-Identifier: MIT
//
// Locks that know one server's commands, options or texts, and meet another one; and those that
// misread what the newer commands do. A conviction names the servers where it shows.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kOnlyWhenLate =
    "it takes a client that comes late by itself, and explored ones do so after a pause only";

// Where a conviction on Valkey 9.1 comes about as well.
constexpr std::string_view kOthersWithIfeq = "valkey-8.1 valkey-9.2 redis-8.4";
constexpr std::string_view kOthersWithFieldTtls = "redis-8.0 redis-8.4 valkey-9.2";
constexpr std::string_view kOtherValkeys = "valkey-8.1 valkey-9.2";
constexpr std::string_view kOthersWithoutDelex = "redis-7.0 redis-8.0 valkey-8.1";

// The renewal that makes a lock immortal: SET key token IFEQ token, the compare-and-set of Valkey
// 8.1 and Redis 8.4, in place of a script with PEXPIRE.
//
// What goes wrong: SET takes away the TTL of what it sets, unless it is told otherwise; a condition
// changes nothing about that. The renewed lock has no TTL any more, and if its holder dies nobody
// ever gets it. The fix is to give the lease again: SET key token IFEQ token PX lease. Lock and
// unlock of this specimen are correct.
Specimen RenewedWithoutTtl() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    attempt.asked = redis.runtime().Now();
    const Result<Reply> set =
        redis.Call({"SET", attempt.key, attempt.token, "IFEQ", attempt.token});
    if (!set.ok()) return set.status();
    if (!set->IsStatus("OK")) return Status(StatusCode::kNotOwner, "another's lock, or nobody's");
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return Status();
  };
  return {MakeLock({.name = "broken/ifeq-without-ttl",
                    .summary = "renews by SET IFEQ without a TTL, so that there is none any more",
                    .traits = {.can_extend = true},
                    .extend = extend}),
          {{"keys", "overstay@valkey-9.1", SynchronyClass::kNone, {}, kOthersWithIfeq}},
          {.clients = 1}};
}

// The reply of a compare-and-set with GET is the old value, whether it has set or not: who asks for
// it learns whose lock it is, and not whether it is his.
//
// What goes wrong: a renewal that comes late finds another's token, changes nothing and answers
// with it; the client sees a value, as after every renewal before, and believes. The fix is to
// compare the reply with the token, or to leave out GET. Lock and unlock of this specimen are
// correct, and the lease is given again.
Specimen OldValueBelieved() {
  const auto extend = [](RedisClient& redis, Attempt& attempt) {
    attempt.asked = redis.runtime().Now();
    const Result<Reply> old = redis.Call(
        {"SET", attempt.key, attempt.token, "IFEQ", attempt.token, "GET", "PX", Ms(attempt.lease)});
    if (!old.ok()) return old.status();
    if (!old->IsString()) return Status(StatusCode::kNotOwner, "nobody's lock");
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return Status();
  };
  return {MakeLock({.name = "broken/ifeq-get-misread",
                    .summary = "takes the old value that SET IFEQ GET returns for its own renewal",
                    .traits = {.can_extend = true},
                    .extend = extend}),
          {{"foreign-extend", "overstay@valkey-9.1", SynchronyClass::kNone, {}, kOthersWithIfeq}},
          {.clients = 2, .expiries = 1},
          kOnlyWhenLate};
}

// A deadline by the client's clock: SET NX PXAT, which spares the server a clock of its own.
//
// What goes wrong: the client's clock is behind by more than a lease. The deadline is in the past,
// and the server does what it is told: it answers OK, and keeps nothing. The client holds a lock
// that does not exist, and so does the next one. Every version does this. The fix is PX, which is
// counted by the server. Unlock and belief of this specimen are correct.
Specimen DeadlineInThePast() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const std::string until = std::to_string(redis.environment().wall_ms() + attempt.lease.count());
    attempt.asked = redis.runtime().Now();
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    return SetIfAbsent(redis, attempt.key, attempt.token, "PXAT", until);
  };
  return {MakeLock({.name = "broken/pxat-in-the-past",
                    .summary = "gives its lease as a deadline by the client's own time of day",
                    .lock = lock}),
          {{"belief-exclusion", "chaos", SynchronyClass::kBounded,
            "nobody sets the clocks of real machines"}},
          {.clients = 2, .attempts = 1},
          "no clock is set in what is explored"};
}

// Permits as fields of a hash, each with a TTL (HSETEX), counted by HLEN: as it looks, a semaphore
// that sweeps itself.
//
// What goes wrong: fields that are over go when the server comes round to them, and count until
// then. For some time after a lease nobody is let in, although the permit is free; a client that
// asks once is sent away for no reason. The fix is to count by deadlines, as with a sorted set, or
// to ask for the fields (HKEYS), which honours the TTL. Leaving is correct here.
Specimen CountsDeadFields() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('hlen', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
        "return redis.call('hsetex', KEYS[1], 'PX', ARGV[2], 'FIELDS', 1, ARGV[1], "
        "string.format('%.0f', now + ARGV[2]))";
    return CallScript(redis, AfterNow(kScript), attempt.key,
                      {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                      StatusCode::kNotAcquired);
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    return ExpectInteger(redis.Call({"HDEL", attempt.key, attempt.token}), 1,
                         StatusCode::kNotOwner);
  };
  const auto owners = [](const harness::ServerView& server, const harness::LockOptions& options) {
    std::vector<harness::Owner> all;
    for (const auto& [token, until] : server.Hash(KeyOf(options))) {
      all.push_back({token, std::stoll(until)});
    }
    return std::optional(all);
  };
  return {MakeLock({.name = "broken/counts-dead-fields",
                    .summary = "counts permits by HLEN, in which fields that are over still count",
                    .traits = {.kind = harness::Permits{}},
                    .lock = lock,
                    .unlock = unlock,
                    .owners = owners}),
          {{"spurious-refusal",
            "overstay@valkey-9.1",
            SynchronyClass::kNone,
            {},
            kOthersWithFieldTtls}},
          {.clients = 2, .expiries = 1},
          kOnlyWhenLate};
}

/// An unlock whose error is logged and forgotten, as in a `finally` that must not throw.
Status Swallowed(const Result<Reply>& unlocked) {
  if (!unlocked.ok()) return unlocked.status();
  if (unlocked->IsError()) return Status();
  return ExpectInteger(unlocked, 1, StatusCode::kNotOwner);
}

// NOSCRIPT recognised by its whole text: "NOSCRIPT No matching script. Please use EVAL.", as Redis
// says it. Valkey leaves out the advice.
//
// What goes wrong: on Valkey the script is never sent, no unlock succeeds, and each lock stays
// taken for the rest of its lease; the error is logged. The fix is to compare the code, the first
// word. The lock of this specimen is correct.
Specimen NoscriptByItsText() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "return redis.call('del', KEYS[1])";
    constexpr std::string_view kSha = "dda120af18b02c38535f2854a738aa634ff724aa";
    Result<Reply> unlocked = redis.Call({"EVALSHA", kSha, "1", attempt.key, attempt.token});
    if (unlocked.ok() && unlocked->IsError() &&
        unlocked->text == "NOSCRIPT No matching script. Please use EVAL.") {
      unlocked = redis.Call({"EVAL", kScript, "1", attempt.key, attempt.token});
    }
    return Swallowed(unlocked);
  };
  return {MakeLock({.name = "broken/noscript-by-its-text",
                    .summary = "knows NOSCRIPT by the whole text that Redis gives it",
                    .unlock = unlock}),
          {{"keys", "contention@valkey-9.1", SynchronyClass::kNone, {}, kOtherValkeys}},
          {.clients = 1}};
}

// The other server's delete: DELEX key IFEQ token is Redis 8.4 and Valkey 9.2; Valkey 9.0 and 9.1
// call it DELIFEQ key token.
//
// What goes wrong: the server does not know the command, the error is swallowed where an unlock
// must not throw, and each lock stays taken for the rest of its lease. The fix is to try, to see
// that the command is missing, and to fall back to a script. The lock of this specimen is correct.
Specimen DelexUnknown() {
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    return Swallowed(redis.Call({"DELEX", attempt.key, "IFEQ", attempt.token}));
  };
  return {MakeLock({.name = "broken/delex-unknown",
                    .summary = "unlocks by DELEX and swallows the error of a server without it",
                    .unlock = unlock}),
          {{"keys", "contention@valkey-9.1", SynchronyClass::kNone, {}, kOthersWithoutDelex}},
          {.clients = 1}};
}

// The unlock as a function of the server (FUNCTION LOAD, FCALL), which the client loads when it
// starts: a name instead of a text or a hash.
//
// What goes wrong: a function is data, and a restart that loses data loses it, too. Scripts have
// NOSCRIPT and a client that knows what to do about it; "Function not found" is swallowed with all
// other errors of an unlock, and from then on each lock stays taken for the rest of its lease. The
// fix is to load it again when it is not found. The lock of this specimen is correct.
Specimen FunctionForgotten() {
  const auto start = [](RedisClient& redis, Attempt& /*attempt*/) {
    constexpr std::string_view kLibrary =
        "#!lua name=unlocking\n"
        "redis.register_function('unlock', function(keys, args) "
        "if redis.call('get', keys[1]) ~= args[1] then return 0 end "
        "return redis.call('del', keys[1]) end)";
    const Result<Reply> loaded = redis.Call({"FUNCTION", "LOAD", "REPLACE", kLibrary});
    if (!loaded.ok()) return loaded.status();
    return loaded->IsString() ? Status() : Status(StatusCode::kUnavailable, loaded->text);
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    return Swallowed(redis.Call({"FCALL", "unlock", "1", attempt.key, attempt.token}));
  };
  return {MakeLock({.name = "broken/function-forgotten",
                    .summary = "unlocks by a function that a restarted server does not have",
                    .start = start,
                    .unlock = unlock}),
          {{"keys", "data-loss", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1},
          "functions are not part of the states that are compared"};
}

}  // namespace

std::vector<Specimen> DialectsSpecimens() {
  return {CountsDeadFields(),  DeadlineInThePast(), DelexUnknown(),     FunctionForgotten(),
          NoscriptByItsText(), OldValueBelieved(),  RenewedWithoutTtl()};
}

}  // namespace interlock::scenarios::specimens
