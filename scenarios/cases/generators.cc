// SPDX-License-Identifier: MIT
#include "scenarios/cases/generators.h"

#include "scenarios/cases/swarm.h"

namespace interlock::scenarios {
namespace {

/// Takes out what the kind of lock does not allow.
void Reduce(const Extras& extras, Workload& workload) {
  for (ClientPlan& client : workload.clients) {
    if (!extras.operators) {
      std::erase_if(client.operations, [](const Operation& operation) { return operation.forces; });
    }
    for (Operation& operation : client.operations) {
      operation.shared = operation.shared && extras.readers;
      operation.stops = operation.stops && extras.stops;
    }
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
    Reduce(shape_.extras, workload);
    return workload;
  }
  return Cooked(shape_, Drawn(shape_, seed));
}

}  // namespace interlock::scenarios
