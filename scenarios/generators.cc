// SPDX-License-Identifier: MIT
#include "scenarios/generators.h"

namespace interlock::scenarios {

WorkloadShape Generator::ShapeOf(const Scenario& scenario, const Extras& extras) {
  WorkloadShape shape = scenario.shape;
  shape.extras = extras;
  shape.ages = !scenario.gives_up.clocks;
  // What a server forgets of a limit, or of a latch, nobody can know, nor whose it is then.
  if (scenario.gives_up.writes) {
    shape.extras = {.readers = extras.readers, .stops = extras.stops};
  }
  return shape;
}

Workload Generator::Draw(std::uint64_t seed) const {
  if (!pinned_.empty()) return pinned_[seed % pinned_.size()];
  return Cooked(swarm_.shape(), swarm_.Draw(seed));
}

}  // namespace interlock::scenarios
