// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/signal.h"

#include <string_view>

namespace interlock::scenarios::specimens {

std::string SignalKey(const std::string& key) { return key + ":signal"; }

std::vector<harness::AuxiliaryKey> SignalKeys(const harness::LockOptions& options) {
  return {{SignalKey(KeyOf(options)), options.lease}};
}

Status WaitForSignal(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt);
  const std::string signal = SignalKey(attempt.key);
  return redis.CallUntil({"BLPOP", signal, patience.seconds}, patience.overdue).status();
}

Result<Reply> PopSignal(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  const std::string signal = SignalKey(attempt.key);
  return redis.CallUntil({"BLPOP", signal, patience.seconds}, patience.overdue);
}

Status UnlockAndSignal(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "local signal = KEYS[1] .. ':signal' "
      "redis.call('del', signal, KEYS[1]) "
      "redis.call('lpush', signal, '1') "
      "return redis.call('pexpire', signal, ARGV[2])";
  return CallScript(redis, kScript, attempt.key, {attempt.token, Ms(attempt.lease)}, 1,
                    StatusCode::kNotOwner);
}

}  // namespace interlock::scenarios::specimens
