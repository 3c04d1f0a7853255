// SPDX-License-Identifier: MIT
//
// The finding of a judge of foreign clients: which property is violated, and how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace interlock::scenarios::drive {

struct Finding {
  std::string slug;  ///< "foreign-release"
  std::string sentence;
  std::size_t events = 0;  ///< visible after this many events of the run
  /// What was taken for a lock's key, because a client has asked for it like one; empty: nothing.
  std::string key = {};
};

using Findings = std::vector<Finding>;

}  // namespace interlock::scenarios::drive
