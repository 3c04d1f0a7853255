// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimen.h"
#include "scenarios/locks/subjects/subjects.h"
#include "sim/tripwire.h"

namespace interlock::scenarios {

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects() {
  std::vector<std::shared_ptr<const harness::Subject>> all;
  for (const auto make : subjects::kAllSubjects) all.push_back(make());
  return all;
}

std::vector<std::shared_ptr<const harness::Subject>> DurableSubjects() {
  std::vector<std::shared_ptr<const harness::Subject>> all;
  for (const auto make : subjects::kDurableSubjects) all.push_back(make());
  return all;
}

std::vector<std::shared_ptr<const harness::Subject>> CompiledSubjects() {
  std::vector<std::shared_ptr<const harness::Subject>> all;
  if (!sim::TripwireIsArmed()) return all;
  for (const auto make : subjects::kCompiledSubjects) all.push_back(make());
  return all;
}

}  // namespace interlock::scenarios
