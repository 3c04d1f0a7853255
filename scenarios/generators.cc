// SPDX-License-Identifier: MIT
#include "scenarios/generators.h"

namespace interlock::scenarios {

WorkloadShape Generator::ShapeOf(const Scenario& scenario, bool readers) {
  WorkloadShape shape = scenario.shape;
  shape.readers = readers;
  return shape;
}

Workload Generator::Draw(std::uint64_t seed) const {
  if (!pinned_.empty()) return pinned_[seed % pinned_.size()];
  return Cooked(swarm_.shape(), swarm_.Draw(seed));
}

}  // namespace interlock::scenarios
