// SPDX-License-Identifier: MIT
//
// A sound lock of another kind than ours, for tests of the harness: first come, first served, and
// the release script itself grants to the next waiter, so an ownership entry is made by a command
// of the client that gives the lock away. It does not survive faults; it is for fault-free
// scenarios.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::testing {

std::shared_ptr<const harness::Subject> HandOverSubject();

}  // namespace interlock::scenarios::testing
