// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimen.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios {

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects() {
  std::vector<std::shared_ptr<const harness::Subject>> all;
  for (const auto make : subjects::kAllSubjects) all.push_back(make());
  return all;
}

}  // namespace interlock::scenarios
