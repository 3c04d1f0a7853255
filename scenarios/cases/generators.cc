// SPDX-License-Identifier: MIT
#include "scenarios/cases/generators.h"

namespace interlock::scenarios {
namespace {

void LetNobodyRead(Workload& workload) {
  for (ClientPlan& client : workload.clients) {
    for (Operation& operation : client.operations) operation.shared = false;
  }
}

void LetNobodyForce(Workload& workload) {
  for (ClientPlan& client : workload.clients) {
    std::erase_if(client.operations, [](const Operation& operation) { return operation.forces; });
  }
}

void LetNobodyStop(Workload& workload) {
  for (ClientPlan& client : workload.clients) {
    for (Operation& operation : client.operations) operation.stops = false;
  }
}

}  // namespace

WorkloadShape Generator::ShapeOf(const Scenario& scenario, const Extras& extras) {
  WorkloadShape shape = scenario.shape;
  shape.extras = extras;
  shape.ages = !scenario.gives_up.clocks;
  // What a server forgets of a limit, or of a latch, nobody can know, nor whose it is then.
  if (scenario.gives_up.writes) {
    shape.extras = {.readers = extras.readers, .stops = extras.stops, .permits = extras.permits};
  }
  return shape;
}

Workload Generator::Draw(std::uint64_t seed) const {
  if (!pinned_.empty()) {
    Workload workload = pinned_[seed % pinned_.size()];
    if (!swarm_.shape().extras.readers) LetNobodyRead(workload);
    if (!swarm_.shape().extras.operators) LetNobodyForce(workload);
    if (!swarm_.shape().extras.stops) LetNobodyStop(workload);
    return workload;
  }
  return Cooked(swarm_.shape(), swarm_.Draw(seed));
}

}  // namespace interlock::scenarios
