// SPDX-License-Identifier: MIT
//
// Draws workloads after the manner of swarm testing (Groce et al. 2012): each run first switches
// off about half of the kinds of faults and operations and weighs the others, so that some runs
// have long sequences that an even mixture would hardly produce.
//
// Thread safety: a Swarm may be used by many threads. Determinism: a function of shape and seed.
#pragma once

#include <cstdint>

#include "scenarios/cases/raw_workload.h"

namespace interlock::scenarios {

class Swarm {
 public:
  explicit Swarm(WorkloadShape shape);

  const WorkloadShape& shape() const { return shape_; }
  RawWorkload Draw(std::uint64_t seed) const;

 private:
  WorkloadShape shape_;
};

}  // namespace interlock::scenarios
