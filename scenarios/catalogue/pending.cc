// SPDX-License-Identifier: MIT
#include "scenarios/scenario.h"

namespace interlock::scenarios {

const std::vector<PendingScenario>& PendingScenarios() {
  constexpr std::string_view kRedlock = "Redlock, a lock over a quorum of masters";
  static const std::vector<PendingScenario> kPending = {
      {"kleppmann.k4", "the clock of one of five masters jumps, and its key expires", kRedlock},
      {"kleppmann.k5", "one of five masters restarts and has forgotten", kRedlock},
      {"kleppmann.k6", "all replies of five masters are read after a pause", kRedlock},
      {"kleppmann.k7", "all replies of five masters are delayed past the lease", kRedlock},
      {"kleppmann.k9b", "counters on several masters drift apart", kRedlock},
      {"antirez.a6", "all delays between reading the clock and using the lock", kRedlock},
      {"redis.d3", "three clients split the votes of five masters", kRedlock},
      {"redis.d4", "the losers of a split vote do not unlock", kRedlock},
      {"redis.d6", "one of three granting masters restarts empty", kRedlock},
      {"redis.d7", "unlock skips the masters whose grant seemed to fail", kRedlock},
      {"chubby.h1", "new owners are refused for a while after an expiry", "a lock with lock-delay"},
  };
  return kPending;
}

}  // namespace interlock::scenarios
