// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/readers.h"

#include <string>
#include <utility>

namespace interlock::scenarios::specimens {

Status CallReaders(RedisClient& redis, std::string_view script, const Attempt& attempt,
                   std::initializer_list<std::string_view> arguments, StatusCode otherwise) {
  constexpr std::string_view kPrelude =
      "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
      "local readers = KEYS[1] .. ':readers' "
      "local function ms(n) return string.format('%.0f', n) end ";
  return CallScript(redis, std::string(kPrelude).append(script), attempt.key, arguments, 1,
                    otherwise);
}

Status EnterBy(RedisClient& redis, const Attempt& attempt, std::string_view script) {
  return CallReaders(redis, script, attempt, {attempt.token, Ms(attempt.lease)},
                     StatusCode::kNotAcquired);
}

Status EnterCorrectly(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
      "redis.call('zremrangebyscore', readers, '-inf', ms(now - 1)) "
      "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', readers, ARGV[2])";
  constexpr std::string_view kWriter =
      "if redis.call('zcount', readers, ms(now), '+inf') > 0 then return 0 end "
      "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
  return EnterBy(redis, attempt, attempt.shared ? kReader : kWriter);
}

Status LeaveCorrectly(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "local till = redis.call('zscore', readers, ARGV[1]) "
      "if not till or tonumber(till) < now then return 0 end "
      "return redis.call('zrem', readers, ARGV[1])";
  if (!attempt.shared) return UnlockCorrectly(redis, attempt);
  return CallReaders(redis, kReader, attempt, {attempt.token}, StatusCode::kNotOwner);
}

Recipe ReadersRecipe(std::string_view name, std::string_view summary, ReadersSteps steps) {
  return {.name = name,
          .summary = summary,
          .traits = {.kind = harness::Readers{}},
          .lock = std::move(steps.lock),
          .unlock = std::move(steps.unlock),
          .owners = [](const harness::ServerView& server, const harness::LockOptions& options) {
            return std::optional(WriterAndReadersAt(server, KeyOf(options)));
          }};
}

}  // namespace interlock::scenarios::specimens
