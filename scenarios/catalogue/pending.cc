// SPDX-License-Identifier: MIT
#include "scenarios/scenario.h"

namespace interlock::scenarios {

const std::vector<PendingScenario>& PendingScenarios() {
  constexpr std::string_view kRedlock = "Redlock, a lock over a quorum of masters";
  constexpr std::string_view kServer = "faults of the server";
  constexpr std::string_view kClocks = "faults of clocks";
  static const std::vector<PendingScenario> kPending = {
      {"kleppmann.k4", "the clock of one of five masters jumps, and its key expires", kRedlock},
      {"kleppmann.k5", "one of five masters restarts and has forgotten", kRedlock},
      {"kleppmann.k6", "all replies of five masters are read after a pause", kRedlock},
      {"kleppmann.k7", "all replies of five masters are delayed past the lease", kRedlock},
      {"kleppmann.k9", "the server that counts the tokens loses its data", kServer},
      {"kleppmann.k9b", "counters on several masters drift apart", kRedlock},
      {"kleppmann.k10", "an efficiency lock's only server loses power", kServer},
      {"antirez.a4", "the server's clock steps back, and a key lives longer", kClocks},
      {"antirez.a5", "the server's clock is slewed", kClocks},
      {"antirez.a6", "all delays between reading the clock and using the lock", kRedlock},
      {"antirez.a7", "a server that syncs every write restarts, or restarts late", kServer},
      {"redis.d1", "the master dies before its replica knows of the lock", kServer},
      {"redis.d3", "three clients split the votes of five masters", kRedlock},
      {"redis.d4", "the losers of a split vote do not unlock", kRedlock},
      {"redis.d6", "one of three granting masters restarts empty", kRedlock},
      {"redis.d7", "unlock skips the masters whose grant seemed to fail", kRedlock},
      {"chubby.h1", "new owners are refused for a while after an expiry", "a lock with lock-delay"},
  };
  return kPending;
}

}  // namespace interlock::scenarios
