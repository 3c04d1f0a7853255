// SPDX-License-Identifier: MIT
//
// The scripts of permits: several owners at a time, in a sorted set of the ends of their leases.
// What a script does is said beside it.
//
// Keys: `base` (the permits that are out; a type that no other kind of lock has there, so that each
// is told of the other before it wakes the other's waiters), `base:limit` (how many there are),
// `base:fence`, `base:signal`, `base:cancelled:<token>`.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

/// An inspection where a sorted set holds the owners. KEYS owners.
inline constexpr char kInspectOwners[] = R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = {-1}
local out = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now), '+inf', 'WITHSCORES')
for i = 1, #out, 2 do
  all[#all + 1] = out[i]
  all[#all + 1] = out[i + 1] - now
  all[#all + 1] = '0'
end
return all
)lua";

class PermitScripts final : public LockScripts {
 public:
  /// `wished`: the limit that this client expects; 0: whichever is in force.
  PermitScripts(const std::string& prefix, const std::string& name, Milliseconds lease, int wished);

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  std::optional<ScriptCall> HandOn() const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;
  Status OtherLimit(std::int64_t limit) const override;

  /// Puts a limit in force, whatever was; see ParseFlag. Idempotent.
  ScriptCall SetLimit(int limit) const;
  /// See ParseCount.
  ScriptCall Count() const;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const std::string limit_;
  const int wished_;
};

struct PermitCount {
  std::int64_t limit = 0;  ///< in force; 0: none is
  std::int64_t out = 0;    ///< permits whose lease is not over
};
Result<PermitCount> ParseCount(const Reply& reply);

/// Inspects any sorted set of tokens by the end of their leases; see ParseInspection.
ScriptCall InspectPermits(const ScriptWord& holders);

}  // namespace interlock::internal
