// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/permit_set.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/locks/specimens/signal.h"

namespace interlock::scenarios::specimens {
namespace {

/// The beginning of a script: `now`, the server's time in ms.
constexpr std::string_view kNow =
    "local time = redis.call('time') "
    "local now = time[1] * 1000 + math.floor(time[2] / 1000) ";

}  // namespace

std::optional<std::vector<harness::Owner>> PermitSetOwners(const harness::ServerView& server,
                                                           const harness::LockOptions& options) {
  std::vector<harness::Owner> owners;
  for (auto& [token, score] : server.SortedSet(KeyOf(options))) {
    const auto expires_at_ms = static_cast<std::int64_t>(score);
    if (expires_at_ms >= server.NowMs())
      owners.push_back({token, expires_at_ms, false, harness::LastMs::kOwned});
  }
  return owners;
}

Status EnterPermitSet(RedisClient& redis, Attempt& attempt) {
  static const std::string kScript =
      std::string(kNow) +
      "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
      "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', KEYS[1], ARGV[2])";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                    StatusCode::kNotAcquired);
}

Status LeavePermitSet(RedisClient& redis, Attempt& attempt) {
  return ExpectInteger(redis.Call({"ZREM", attempt.key, attempt.token}), 1, StatusCode::kNotOwner);
}

Status AwaitPermitSignal(RedisClient& redis, Attempt& attempt) {
  static const std::string kScript =
      std::string(kNow) +
      "local first = redis.call('zrange', KEYS[1], 0, 0, 'withscores') "
      "return first[2] and math.max(0, first[2] - now) or 0";
  const Result<Reply> left = redis.Call({"EVAL", kScript, "1", attempt.key});
  if (!left.ok()) return left.status();
  // The permit is its holder's for the last millisecond, too.
  const Patience patience =
      PatienceOf(redis, attempt, std::chrono::milliseconds(left->integer + 1));
  return redis.CallUntil({"BLPOP", SignalKey(attempt.key), patience.seconds}, patience.overdue)
      .status();
}

}  // namespace interlock::scenarios::specimens
