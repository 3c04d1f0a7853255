// SPDX-License-Identifier: MIT
//
// What the generated test asks for, before the lock was mended.
#include "job_lock.h"

std::shared_ptr<const interlock::harness::Subject> SubjectUnderTest();

std::shared_ptr<const interlock::harness::Subject> SubjectUnderTest() {
  return acme::NaiveJobLock();
}
