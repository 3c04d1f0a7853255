// SPDX-License-Identifier: MIT
#include "scenarios/specimens/permit_set.h"

#include <cstdint>

namespace interlock::scenarios::specimens {

std::optional<std::vector<harness::Owner>> PermitSetOwners(const harness::ServerView& server,
                                                           const harness::LockOptions& options) {
  std::vector<harness::Owner> owners;
  for (auto& [token, score] : server.SortedSet(KeyOf(options))) {
    const auto expires_at_ms = static_cast<std::int64_t>(score);
    if (expires_at_ms >= server.NowMs()) owners.push_back({token, expires_at_ms});
  }
  return owners;
}

Status LeavePermitSet(RedisClient& redis, Attempt& attempt) {
  return ExpectInteger(redis.Call({"ZREM", attempt.key, attempt.token}), 1, StatusCode::kNotOwner);
}

}  // namespace interlock::scenarios::specimens
