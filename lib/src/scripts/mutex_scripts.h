// SPDX-License-Identifier: MIT
//
// The scripts of a mutex: one owner, in a string with the lease and the lock-delay as its TTL. What
// a script does is said beside it.
//
// Keys: `base` (the owner), `base:fence`, `base:signal`, `base:cancelled:<token>`.
//
// Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

/// The end of an inspection where one key holds the owner. KEYS owner, fence; `waiters` is set.
inline constexpr char kInspectOwner[] = R"lua(
local owner = redis.call('GET', KEYS[1])
if not owner then return {waiters} end
local fence = string.match(redis.call('GET', KEYS[2]) or '', '^%d+')
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence or '0'}
)lua";

class MutexScripts final : public LockScripts {
 public:
  /// The server adds `lock_delay` to every lease; no client believes in it.
  MutexScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
               Milliseconds lock_delay = {});

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const Milliseconds lock_delay_;
};

}  // namespace interlock::internal
