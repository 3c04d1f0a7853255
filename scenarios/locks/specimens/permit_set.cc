// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/permit_set.h"

#include <chrono>
#include <string>
#include <string_view>

#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {

std::string AfterNow(std::string_view script) {
  constexpr std::string_view kNow =
      "local time = redis.call('time') "
      "local now = time[1] * 1000 + math.floor(time[2] / 1000) ";
  return std::string(kNow).append(script);
}

std::optional<std::vector<harness::Owner>> PermitSetOwners(const harness::ServerView& server,
                                                           const harness::LockOptions& options) {
  return MembersAt(server, KeyOf(options));
}

Status EnterPermitSet(RedisClient& redis, Attempt& attempt) {
  static const std::string kScript = AfterNow(
      "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
      "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', KEYS[1], ARGV[2])");
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                    StatusCode::kNotAcquired);
}

Status LeavePermitSet(RedisClient& redis, Attempt& attempt) {
  return ExpectInteger(redis.Call({"ZREM", attempt.key, attempt.token}), 1, StatusCode::kNotOwner);
}

Status AwaitPermitSignal(RedisClient& redis, Attempt& attempt) {
  static const std::string kScript = AfterNow(
      "local first = redis.call('zrange', KEYS[1], 0, 0, 'withscores') "
      "return first[2] and math.max(0, first[2] - now) or 0");
  const Result<Reply> left = redis.Call({"EVAL", kScript, "1", attempt.key});
  if (!left.ok()) return left.status();
  // The permit is its holder's for the last millisecond, too.
  const std::chrono::milliseconds most(left->integer + 1);
  return BlockingPop(redis, attempt, SignalKey(attempt.key), most).status();
}

}  // namespace interlock::scenarios::specimens
