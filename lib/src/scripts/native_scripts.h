// SPDX-License-Identifier: MIT
//
// What a mutex without fencing says: SET NX PX, and for all else the server's own commands of
// compare-and-set and compare-and-delete, or a script where it has none. The only key is `base`,
// the owner, as that of MutexScripts.
//
// The commands: SET with IFEQ (Valkey 8.1, Redis 8.4), DELIFEQ (Valkey 9.0), DELEX (Redis 8.4,
// Valkey 9.2).
//
// Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

class NativeScripts final : public LockScripts {
 public:
  /// The server adds `lock_delay` to every lease; no client believes in it.
  NativeScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                Milliseconds lock_delay = {});

  ScriptCall Acquire(const std::string& token) const override;
  /// To the configured lease, however short the one that is asked for, so that one that arrives
  /// late shortens nothing: all that extend a token have the same lease, since it cannot be handed
  /// over. REQUIRES: `lease` is not longer than that.
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;
  bool leaves_owner_alone() const override { return true; }

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const Milliseconds lock_delay_;
};

}  // namespace interlock::internal
