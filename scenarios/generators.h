// SPDX-License-Identifier: MIT
//
// Workloads with their fault plans: the swarm's, or those that a scenario has pinned. No lock is
// known here, but whether operations may be shared (see MayShare), as readers' are: then some of
// the swarm's are, and all else is as it would be without.
//
// Thread safety: one Generator per thread. Determinism: a function of (scenario, readers, seed);
// of a scenario with n pinned workloads, seed modulo n says which.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/swarm.h"

namespace interlock::scenarios {

class Generator {
 public:
  explicit Generator(const Scenario& scenario, bool readers = false)
      : pinned_(scenario.pinned), swarm_(ShapeOf(scenario, readers)) {}

  Workload Draw(std::uint64_t seed) const;

 private:
  static WorkloadShape ShapeOf(const Scenario& scenario, bool readers);

  std::vector<Workload> pinned_;  // taken in turn; if empty, the swarm draws
  Swarm swarm_;
};

}  // namespace interlock::scenarios
