// SPDX-License-Identifier: MIT
#include "scenarios/specimen.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios {

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects() {
  return {subjects::MutexSubject(), subjects::RenewedMutexSubject(), subjects::SemaphoreSubject(),
          subjects::SingleFileSubject()};
}

}  // namespace interlock::scenarios
