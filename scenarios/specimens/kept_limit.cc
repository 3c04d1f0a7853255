// SPDX-License-Identifier: MIT
#include "scenarios/specimens/kept_limit.h"

#include <string>
#include <vector>

#include "scenarios/specimens/permit_set.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kBegin =
    "local limit_key, bells = KEYS[1] .. ':limit', KEYS[1] .. ':bells' "
    "local lease, stands = tonumber(ARGV[1]), tonumber(ARGV[2]) "
    "local time = redis.call('time') "
    "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
    "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
    "local out = redis.call('zcard', KEYS[1]) ";

Result<Reply> Run(RedisClient& redis, const Attempt& attempt, const std::string& script,
                  std::string_view argument) {
  const std::string whole = std::string(kBegin) + script;
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
    const Result<Reply> taken = Run(redis, attempt, script, std::to_string(attempt.permits));
    if (taken.ok() && taken->IsInteger() && taken->integer < 0) {
      return Status(StatusCode::kInvalidArgument, "another limit is in force");
    }
    return ExpectInteger(taken, 1, StatusCode::kNotAcquired);
  };
}

Status Leave(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('zrem', KEYS[1], ARGV[4]) == 0 then return 0 end "
      "redis.call('rpush', bells, '1') redis.call('pexpire', bells, lease) return 1";
  return ExpectInteger(Run(redis, attempt, std::string(kScript), ""), 1, StatusCode::kNotOwner);
}

/// Sleeps for no longer than any lease lasts.
Status AwaitBell(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  return redis.CallUntil({"BLPOP", attempt.key + ":bells", patience.seconds}, patience.overdue)
      .status();
}

SetLimitStep Setting(const KeptLimit& page) {
  const std::string script =
      "local limit = tonumber(ARGV[3]) " + std::string(page.set) + "return 1";
  return [script](RedisClient& redis, const Attempt& attempt, int limit) {
    return ExpectInteger(Run(redis, attempt, script, std::to_string(limit)), 1,
                         StatusCode::kUnavailable);
  };
}

}  // namespace

std::shared_ptr<const harness::Subject> MakeKeptLimit(const KeptLimit& page) {
  return MakeLock(
      {.name = page.name,
       .summary = page.summary,
       .traits = {.semaphore = true, .limit_stands = kLimitStands},
       .lock = Taking(page),
       .unlock = Leave,
       .wait = AwaitBell,
       .owners = PermitSetOwners,
       .auxiliary =
           [](const harness::LockOptions& options) {
             const std::string key = KeyOf(options);
             return std::vector<harness::AuxiliaryKey>{{key + ":limit", kLimitStands},
                                                       {key + ":bells", options.lease}};
           },
       .hand_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; },
       .set_limit = Setting(page)});
}

}  // namespace interlock::scenarios::specimens
