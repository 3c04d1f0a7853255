// SPDX-License-Identifier: MIT
//
// The work of an exploration that is left: prefixes to be walked, last come, first served. Also
// says when all of it is done. Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/search/explore/sleep_set.h"

namespace interlock::scenarios {

/// Where a walk begins.
struct Prefix {
  std::string path;  ///< the decisions to be repeated; see Walk::Path
  // If the last of them chooses which task goes on:
  std::string rest;        ///< the other choices that are left for it, afterwards
  SleepSet asleep;         ///< in the state in which it is chosen
  bool calm_only = false;  ///< faults that could strike meanwhile are already covered
};

class Frontier {
 public:
  /// Waits while others may still add some. nullopt: all is done, or Close was called.
  std::optional<Prefix> Take();
  /// The taken one is done, and leaves these to do.
  void Done(std::vector<Prefix>&& left);
  void Add(Prefix prefix);
  void Close();

  /// What is left; only while nobody works.
  const std::vector<Prefix>& left() const { return left_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Prefix> left_;
  int taken_ = 0;
  bool closed_ = false;
};

}  // namespace interlock::scenarios
