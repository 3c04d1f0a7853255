// SPDX-License-Identifier: MIT
//
// The scripts of a single file: permits, each with a lease of its own, and a line of waiters. A
// release hands its permit to the first live waiter, in the same script. What a script does is said
// beside it.
//
// Keys: `base:holders` (the permits that are out, by the end of their leases), `base:fence`, which
// holds the concurrency in force as well, and those of the line (line_scripts.h).
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/scripts/line_scripts.h"

namespace interlock::internal {

class SingleFileScripts final : public LineScripts {
 public:
  SingleFileScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                    LineRule rule, int concurrency);

  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;
  Status OtherLimit(std::int64_t limit) const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  ScriptCall Ask(const std::string& what, const std::string& token) const override;

  ScriptWord holders() const { return {keys().base, ":holders"}; }

  const int concurrency_;
};

}  // namespace interlock::internal
