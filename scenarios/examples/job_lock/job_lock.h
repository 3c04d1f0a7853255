// SPDX-License-Identifier: MIT
//
// A lock as a company might have it in its own code base, made ready to be judged: SET NX PX to
// acquire, polling to wait.
//
// Guarantee: JobLock excludes on one server while the lease lasts, and releases only what it owns.
// Non-guarantee: an order among waiters. NaiveJobLock releases without checking the owner, and so
// deletes the next holder's key once its own lease is over (LK005).
//
// Thread safety: the subjects are immutable.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

namespace acme {

std::shared_ptr<const interlock::harness::Subject> JobLock();
std::shared_ptr<const interlock::harness::Subject> NaiveJobLock();

}  // namespace acme
