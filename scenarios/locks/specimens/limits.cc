// SPDX-License-Identifier: MIT
//
// Semaphores that keep their limit in the server.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// Semaphores that keep their limit in the server, beside the set of their permits: a client that
// gives another one is told so, and only setting it changes it. Waiters sleep on a list, one
// element for each that can be let in. The steps here are the correct ones; a specimen replaces the
// few lines that its story is about.

/// How long a limit is in force without any grant.
inline constexpr std::chrono::hours kLimitStands(7 * 24);

/// Parts of Lua scripts. They have `limit_key` and `bells`, the list, and `out`, the number of
/// permits that are out.
struct KeptLimit {
  std::string_view name;
  std::string_view summary;
  /// What a grant does: from `limit` (in force; 0: none) and `wished` (0: no matter) to the `limit`
  /// that counts; returns -1 to refuse.
  std::string_view settle =
      "if limit == 0 then limit = wished end "
      "if limit == 0 or (wished ~= 0 and wished ~= limit) then return -1 end ";
  /// ... which is made: keeps `limit` in force, for `stands` ms; `lease` is that of the permit.
  std::string_view keep = "redis.call('set', limit_key, limit, 'PX', stands) ";
  /// Puts `limit` in force and wakes those whom it lets in; `lease` is the life of what wakes them.
  std::string_view set =
      "redis.call('set', limit_key, limit, 'PX', stands) "
      "for _ = redis.call('llen', bells) + 1, limit - out do redis.call('rpush', bells, '1') end "
      "redis.call('pexpire', bells, lease) ";
};

using std::chrono::milliseconds;

constexpr std::string_view kLimitBegin =
    "local limit_key, bells = KEYS[1] .. ':limit', KEYS[1] .. ':bells' "
    "local lease, stands = tonumber(ARGV[1]), tonumber(ARGV[2]) "
    "local time = redis.call('time') "
    "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
    "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
    "local out = redis.call('zcard', KEYS[1]) ";

Result<Reply> RunLimitScript(RedisClient& redis, const Attempt& attempt, const std::string& script,
                             std::string_view argument) {
  const std::string whole = std::string(kLimitBegin) + script;
  return redis.Call({"EVAL", whole, "1", attempt.key, Ms(attempt.lease), Ms(kLimitStands), argument,
                     attempt.token});
}

Step Taking(const KeptLimit& page) {
  const std::string script =
      "local wished = tonumber(ARGV[3]) "
      "local limit = tonumber(redis.call('get', limit_key) or 0) " +
      std::string(page.settle) + "if out >= limit then return 0 end " + std::string(page.keep) +
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + lease), ARGV[4]) "
      "if redis.call('pttl', KEYS[1]) < lease then redis.call('pexpire', KEYS[1], lease) end "
      "return 1";
  return [script](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> taken =
        RunLimitScript(redis, attempt, script, std::to_string(attempt.permits));
    if (taken.ok() && taken->IsInteger() && taken->integer < 0) {
      return Status(StatusCode::kInvalidArgument, "another limit is in force");
    }
    return ExpectInteger(taken, 1, StatusCode::kNotAcquired);
  };
}

Status LeaveLimit(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('zrem', KEYS[1], ARGV[4]) == 0 then return 0 end "
      "redis.call('rpush', bells, '1') redis.call('pexpire', bells, lease) return 1";
  return ExpectInteger(RunLimitScript(redis, attempt, std::string(kScript), ""), 1,
                       StatusCode::kNotOwner);
}

/// Sleeps for no longer than any lease lasts.
Status AwaitBell(RedisClient& redis, Attempt& attempt) {
  return BlockingPop(redis, attempt, attempt.key + ":bells", attempt.lease).status();
}

SetLimitStep Setting(const KeptLimit& page) {
  const std::string script =
      "local limit = tonumber(ARGV[3]) " + std::string(page.set) + "return 1";
  return [script](RedisClient& redis, const Attempt& attempt, int limit) {
    return ExpectInteger(RunLimitScript(redis, attempt, script, std::to_string(limit)), 1,
                         StatusCode::kUnavailable);
  };
}

std::shared_ptr<const harness::Subject> MakeKeptLimit(const KeptLimit& page) {
  return MakeLock(
      {.name = page.name,
       .summary = page.summary,
       .traits = {.kind = harness::Permits{kLimitStands}},
       .lock = Taking(page),
       .unlock = LeaveLimit,
       .wait = AwaitBell,
       .owners = PermitSetOwners,
       .auxiliary = {{.ending = ":limit", .ttl = kLimitStands}, {":bells"}},
       .hand_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; },
       .set_limit = Setting(page)});
}

// The limit that each acquirer brings along: the number of permits stands in every program's own
// configuration, and the script that takes one compares with that, and writes it down for those
// who only look.
//
// What goes wrong: the number is changed in one place and not in the other, or old and new
// processes run side by side for a while. The one with the larger number enters where the other
// sees all permits taken, so there are more inside than its owner has allowed for; and what an
// operator has set is undone by the next one who comes. The fix: what is in force stands in the
// server, and a client that gives another number is told so instead of being let in.
Specimen LimitOfTheLatest() {
  return {MakeKeptLimit({.name = "broken/limit-of-the-latest",
                         .summary = "takes for the limit whatever the latest acquirer gives",
                         .settle = "if wished ~= 0 then limit = wished end "
                                   "if limit == 0 then return -1 end "}),
          {{"permits-server", "contention", SynchronyClass::kNone, kNotAsked},
           {"permits-belief", "crash", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2}};
}

// The limit that gets its TTL once: every key has to have one, so the limit gets some leases' time
// from the client that puts it in force, and nobody thinks of it again.
//
// What goes wrong: the semaphore is in use without a break, and yet the limit lapses under the
// clients inside. The next one who comes with another number puts that in force; a client that
// follows whatever is in force is told that nothing is. The fix: each grant keeps the limit in
// force for as long as it is to stand.
Specimen LimitForAWhile() {
  return {MakeKeptLimit({.name = "broken/limit-for-a-while",
                         .summary = "gives the limit a TTL when it is put in force, and never more",
                         .keep = "redis.call('set', limit_key, limit, 'NX', 'PX', 2 * lease) "}),
          {{"permits-server", "contention", SynchronyClass::kNone, kNotAsked},
           {"spurious-refusal", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 2, .expiries = 0}};
}

// The limit that is set and not announced: an operator raises it because there is a queue, the
// number in the server changes, and the waiters sleep on.
//
// What goes wrong: only a release wakes a waiter, and the permits that have just been made are
// released by nobody. They stay unused until somebody who is inside leaves, or until a waiter looks
// by itself, which may be a lease later. The fix: let setting a limit wake as many as it lets in.
Specimen LimitWakesNobody() {
  return {MakeKeptLimit({.name = "broken/limit-wakes-nobody",
                         .summary = "sets a larger limit and wakes none of those whom it lets in",
                         .set = "redis.call('set', limit_key, limit, 'PX', stands) "}),
          {{"deadlock", "contention", SynchronyClass::kNone, kNotAsked}},
          {.clients = 3}};
}

}  // namespace

std::vector<Specimen> LimitsSpecimens() {
  return {LimitOfTheLatest(), LimitForAWhile(), LimitWakesNobody()};
}

}  // namespace interlock::scenarios::specimens
