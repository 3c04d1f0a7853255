// SPDX-License-Identifier: MIT
//
// The scripts of a count-down latch: the number it was closed for, and the ids that have counted
// down. What a script does is said beside it.
//
// Keys: `base` (the number), `base:counted` (the ids that have counted down), `base:open` (list of
// wake-up hints). All live as long as the latch was told to.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <interlock/connection.h>
#include <interlock/result.h>

#include "src/scripts/script.h"

namespace interlock::internal {

class LatchScripts {
 public:
  LatchScripts(const std::string& prefix, const std::string& name, Milliseconds life);

  /// Closes the latch at `count`, unless there is one. See ParseLatch; the count is the number that
  /// it was closed for.
  ScriptCall Close(int count) const;
  /// Counts once for each id, however often it is sent. See ParseLatch.
  ScriptCall CountDown(const std::string& id) const;
  /// Also wakes another waiter if the latch is open. See ParseLatch.
  ScriptCall Look() const;
  ScriptCall Remove() const;

  const std::string& resource() const { return base_; }
  /// Where waiters sleep.
  const std::string& signal() const { return open_; }

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const std::string base_;
  const std::string counted_;
  const std::string open_;
  const Milliseconds life_;
};

struct LatchReply {
  bool exists = false;
  std::int64_t count = 0;
  bool changed = false;  ///< by this call
};
Result<LatchReply> ParseLatch(const Reply& reply);

}  // namespace interlock::internal
