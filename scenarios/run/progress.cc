// SPDX-License-Identifier: MIT
#include "scenarios/run/progress.h"

namespace interlock::scenarios {

std::vector<Progress> ProgressOfEach(const Workload& workload, sim::Choices& choices) {
  const auto late = static_cast<std::size_t>(workload.permits * workload.resources);
  std::vector<Progress> all(workload.clients.size() + late);
  if (!choices.follows_places()) return all;
  for (std::size_t client = 0; client < all.size(); ++client) {
    all[client].tell = [&choices, client](std::size_t operation, OperationPart part) {
      choices.NotePlace(static_cast<int>(client), PlaceOf(operation, part));
    };
  }
  return all;
}

}  // namespace interlock::scenarios
