// SPDX-License-Identifier: MIT
//
// The scripts of a re-entrant mutex: one owner with any number of holds, in a hash with the lease
// as its TTL. What a script does is said beside it.
//
// Keys: `base` (fields "owner", "fence", and "hold:<token>" for each hold), `base:fence`,
// `base:signal`, `base:cancelled:<token>`.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

class ReentrantScripts final : public LockScripts {
 public:
  /// `owner`: the owner of these holds.
  ReentrantScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                   std::string owner);

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const std::string owner_;
};

}  // namespace interlock::internal
