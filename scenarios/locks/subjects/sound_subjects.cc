// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimen.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios {

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects() {
  return {subjects::FairMutexSubject(),
          subjects::AdoptedFairMutexSubject(),
          subjects::LockDelayMutexSubject(),
          subjects::MultiMutexSubject(),
          subjects::MutexSubject(),
          subjects::AdoptedMutexSubject(),
          subjects::RedlockSubject(),
          subjects::ReentrantMutexSubject(),
          subjects::RenewedMutexSubject(),
          subjects::RenewedMultiMutexSubject(),
          subjects::SemaphoreSubject(),
          subjects::SharedMutexSubject(),
          subjects::UnpreferredSharedMutexSubject(),
          subjects::SingleFileSubject(),
          subjects::CountDownLatchSubject()};
}

}  // namespace interlock::scenarios
