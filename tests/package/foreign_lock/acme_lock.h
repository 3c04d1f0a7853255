// SPDX-License-Identifier: MIT
//
// A lock as a company might have it in its own code base: SET NX PX to acquire, polling to wait.
//
// Guarantee: the sound one excludes on one server while the lease lasts, and releases only what is
// its own. Non-guarantee: order among waiters. The other one releases without a look at the owner.
//
// Thread safety: immutable.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

namespace acme {

std::shared_ptr<const interlock::harness::Subject> SoundLock();
std::shared_ptr<const interlock::harness::Subject> BlindReleaseLock();

}  // namespace acme
