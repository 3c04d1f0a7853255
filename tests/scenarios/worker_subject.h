// SPDX-License-Identifier: MIT
//
// A sound lock of another make than ours: its object may be used by any number of tasks, and one
// task of its own sends all that they ask for over one connection, and renews the leases of all of
// them. Who looks only at who sends cannot tell what belongs to whom.
//
// Thread safety: as harness::Subject.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::testing {

std::shared_ptr<const harness::Subject> WorkerSubject();

}  // namespace interlock::scenarios::testing
