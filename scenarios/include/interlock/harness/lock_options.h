// SPDX-License-Identifier: MIT
//
// The options that a lock under test is made with: see Subject::NewLock.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace interlock::harness {

/// Every key of the lock must begin with `key_prefix`; its TTLs follow from `lease`.
struct LockOptions {
  std::string key_prefix;
  std::string resource;
  /// 1 ms or more. A lock may grant less than that, such as whole seconds: its holders leave by
  /// what Hold::valid_until() says, others are refused by what Owners() shows, and nothing is
  /// demanded that only the holder of a whole lease can show. Hold::Extend gives all of it.
  std::chrono::milliseconds lease{};
  /// More than 1 only for Permits; 0: see Permits::limit_stands.
  int permits = 1;
  /// `resource` and a second one, as this client names them; empty unless Traits say `several`.
  std::vector<std::string> several = {};
  /// How many servers with data of their own there are, for a lock by quorum; code as it was
  /// compiled finds them as "redis-0", "redis-1" and so on.
  int masters = 1;
  int parties = 0;  ///< counts that open a Latch; 0 if it is none
  /// For a latch: how long it is remembered after the last count down. 0: longer than any run.
  std::chrono::milliseconds life{};
};

}  // namespace interlock::harness
