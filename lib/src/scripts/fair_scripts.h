// SPDX-License-Identifier: MIT
//
// The scripts of a fair mutex: one owner, and a line of waiters. A release makes the first live
// waiter the owner, in the same script. What a script does is said beside it.
//
// Keys: `base` (the owner), `base:fence`, and those of the line (line_scripts.h).
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/scripts/line_scripts.h"

namespace interlock::internal {

class FairScripts final : public LineScripts {
 public:
  FairScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
              LineRule rule);

  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  ScriptCall Ask(const std::string& what, const std::string& token) const override;
};

}  // namespace interlock::internal
