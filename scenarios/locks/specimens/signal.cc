// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/signal.h"

#include <string_view>

namespace interlock::scenarios::specimens {

std::string SignalKey(const std::string& key) { return key + ":signal"; }

Status WaitForSignal(RedisClient& redis, Attempt& attempt) {
  return BlockingPop(redis, attempt, SignalKey(attempt.key)).status();
}

Result<Reply> PopSignal(RedisClient& redis, const Attempt& attempt) {
  return BlockingPop(redis, attempt, SignalKey(attempt.key), attempt.lease);
}

Status WaitForSignalOrLease(RedisClient& redis, Attempt& attempt) {
  return PopSignal(redis, attempt).status();
}

Status UnlockAndSignal(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "local signal = KEYS[1] .. ':signal' "
      "redis.call('del', signal, KEYS[1]) "
      "redis.call('lpush', signal, '1') "
      "return redis.call('pexpire', signal, ARGV[2])";
  return CallScript(redis, attempt, kScript, StatusCode::kNotOwner);
}

}  // namespace interlock::scenarios::specimens
