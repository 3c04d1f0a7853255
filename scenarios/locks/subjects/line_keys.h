// SPDX-License-Identifier: MIT
//
// The keys that the library's locks keep in the server for a line of waiters, and how soon the
// waiters look for themselves.
//
// Thread safety: may be called from any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/time.h>

namespace interlock::scenarios::subjects {

/// The token in an entry that says more about its owner after the token and a blank.
std::string TokenOf(const std::string& entry);

/// How long a waiter sleeps at most, whether it is woken or not.
std::chrono::milliseconds LongestSleep(const harness::LockOptions& options, Duration max_wait);

/// For how long one that was handed the lock when it had died is in the way, see
/// Subject::PassedOverBound.
std::chrono::milliseconds PassesOverWithin(const harness::LockOptions& options, Duration max_wait,
                                           Duration grace);

/// The keys of waiters, and of those that have not fetched their grant. `max_wait`: the longest
/// sleep.
void AddLineKeys(const harness::LockOptions& options, Duration max_wait, Duration grace,
                 std::vector<harness::AuxiliaryKey>& keys);

}  // namespace interlock::scenarios::subjects
