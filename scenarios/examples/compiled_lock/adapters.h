// SPDX-License-Identifier: MIT
#pragma once

#include <interlock/harness/compiled_lock.h>

namespace acme {

std::shared_ptr<const interlock::harness::Subject> CLock();
std::shared_ptr<const interlock::harness::Subject> NaiveCLock();
std::shared_ptr<const interlock::harness::Subject> RenewedLockSubject();
std::shared_ptr<const interlock::harness::Subject> NaiveRenewedLockSubject();

}  // namespace acme
