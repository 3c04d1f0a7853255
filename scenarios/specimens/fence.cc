// SPDX-License-Identifier: MIT
#include "scenarios/specimens/fence.h"

#include <cstdint>
#include <string_view>

namespace interlock::scenarios::specimens {

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
