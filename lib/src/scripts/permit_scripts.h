// SPDX-License-Identifier: MIT
//
// The scripts of permits: several owners at a time, in a sorted set of the ends of their leases.
// What a script does is said beside it.
//
// Keys: `base:holders` (the permits that are out), `base:limit` (how many there are), `base:fence`,
// `base:signal`, `base:cancelled:<token>`.
//
// Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

class PermitScripts final : public LockScripts {
 public:
  PermitScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                int permits);

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  Status OtherLimit(std::int64_t limit) const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const std::string holders_;
  const std::string limit_;
  const int permits_;
};

}  // namespace interlock::internal
