// SPDX-License-Identifier: MIT
//
// What the library's locks that are handed over in line keep in the server for it, and how soon
// those who stand there look for themselves.
//
// Thread safety: may be called from any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/time.h>

namespace interlock::scenarios::subjects {

/// Of an entry that says more about its owner behind the token and a blank.
std::string TokenOf(const std::string& entry);

/// How long a waiter sleeps at most, whether it is woken or not.
std::chrono::milliseconds LongestSleep(const harness::LockOptions& options, Duration max_wait);

/// For how long one that was handed the lock when it had died is in the way, see
/// Subject::PassedOverBound.
std::chrono::milliseconds PassesOverWithin(const harness::LockOptions& options, Duration max_wait,
                                           Duration grace);

/// The keys of those who wait, and of who has not fetched its grant. `max_wait`: the longest sleep.
void AddLineKeys(const harness::LockOptions& options, Duration max_wait, Duration grace,
                 std::vector<harness::AuxiliaryKey>& keys);

}  // namespace interlock::scenarios::subjects
