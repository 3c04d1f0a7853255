// SPDX-License-Identifier: MIT
#include "scenarios/specimens/fence.h"

#include <cstdint>
#include <string_view>

namespace interlock::scenarios::specimens {

Status LockAndCount(RedisClient& redis, Attempt& attempt, std::chrono::milliseconds ttl) {
  constexpr std::string_view kScript =
      "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[3]) "
      "return fence";
  const Result<Reply> granted =
      redis.Call({"EVAL", kScript, "1", attempt.key, attempt.token, Ms(attempt.lease), Ms(ttl)});
  if (!granted.ok()) return granted.status();
  attempt.fencing_token = static_cast<std::uint64_t>(granted->integer);
  return granted->integer > 0 ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

Status DrawFence(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kDraw =
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[1]) "
      "return fence";
  const Result<Reply> drawn = redis.Call({"EVAL", kDraw, "1", attempt.key, Ms(kFenceTtl)});
  if (!drawn.ok()) return drawn.status();
  attempt.fencing_token = static_cast<std::uint64_t>(drawn->integer);
  return Status();
}

std::vector<harness::AuxiliaryKey> FenceKeys(const harness::LockOptions& options) {
  return {{KeyOf(options) + ":fence", kFenceTtl}};
}

}  // namespace interlock::scenarios::specimens
