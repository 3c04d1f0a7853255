// SPDX-License-Identifier: MIT
//
// Workloads with their fault plans: the swarm's, or those that a scenario has pinned. No lock is
// known here, only what its kind allows in addition (see ExtrasOf), such as readers: then the swarm
// draws some of that, and everything else is as it would be without.
//
// Thread safety: one Generator per thread. Determinism: a function of (scenario, extras, seed); in
// a scenario with n pinned workloads, seed modulo n says which.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {

class Generator {
 public:
  explicit Generator(const Scenario& scenario, const Extras& extras = {})
      : pinned_(scenario.pinned), shape_(ShapeOf(scenario, extras)) {}

  Workload Draw(std::uint64_t seed) const;

 private:
  static WorkloadShape ShapeOf(const Scenario& scenario, const Extras& extras);

  std::vector<Workload> pinned_;  // taken in turn; if empty, the swarm draws
  WorkloadShape shape_;
};

}  // namespace interlock::scenarios
