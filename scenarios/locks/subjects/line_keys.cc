// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/line_keys.h"

#include <algorithm>
#include <chrono>

#include "scenarios/locks/subjects/mutex_adapter.h"

namespace interlock::scenarios::subjects {

using std::chrono::milliseconds;

std::string TokenOf(const std::string& entry) { return entry.substr(0, entry.find(' ')); }

milliseconds LongestSleep(const harness::LockOptions& options, Duration max_wait) {
  return std::min(options.lease, std::chrono::ceil<milliseconds>(max_wait));
}

milliseconds PassesOverWithin(const harness::LockOptions& options, Duration max_wait,
                              Duration grace) {
  return LongestSleep(options, max_wait) + std::chrono::ceil<milliseconds>(grace);
}

void AddLineKeys(const harness::LockOptions& options, Duration max_wait, Duration grace,
                 std::vector<harness::AuxiliaryKey>& keys) {
  const Duration sleep = std::max<Duration>(options.lease, max_wait);
  const auto live = std::chrono::duration_cast<milliseconds>(sleep + grace);
  keys.push_back({KeyOf(options, ":queue"), live});
  keys.push_back({KeyOf(options, ":wait:*"), live});
  keys.push_back({KeyOf(options, ":turn:*"), options.lease});
}

}  // namespace interlock::scenarios::subjects
