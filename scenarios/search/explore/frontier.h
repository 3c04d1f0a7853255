// SPDX-License-Identifier: MIT
//
// The work left in an exploration: prefixes to walk, last in, first out. Also detects when all is
// done. Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/search/explore/sleep_set.h"

namespace interlock::scenarios {

/// Where a walk begins.
struct Prefix {
  std::string path;  ///< the decisions to replay; see Walk::Path
  // If the last decision chooses the next task:
  std::string rest;        ///< its alternatives still to be explored
  SleepSet asleep;         ///< in the state in which it is chosen
  bool calm_only = false;  ///< faults possible meanwhile are already covered
};

class Frontier {
 public:
  /// Waits while others may still add prefixes. nullopt: all is done, or Close was called.
  std::optional<Prefix> Take();
  /// The prefix taken is done, and leaves these to do.
  void Done(std::vector<Prefix>&& left);
  void Add(Prefix prefix);
  void Close();

  /// The remaining prefixes; call only while nobody works.
  const std::vector<Prefix>& left() const { return left_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Prefix> left_;
  int taken_ = 0;
  bool closed_ = false;
};

}  // namespace interlock::scenarios
