// SPDX-License-Identifier: MIT
//
// A lock whose owner token is a number that its process counts: so two processes have the same
// ones, which shows only if each has a counter of its own. It is built twice: linked into the
// program, where all clients share the counter, and as a shared object.
#pragma once

#include <memory>

#include <interlock/harness/compiled_lock.h>

namespace acme::linked {
std::unique_ptr<interlock::harness::CompiledLock> MakeCountedLock(
    const interlock::harness::LockOptions& options);
}

namespace acme::loaded {
std::unique_ptr<interlock::harness::CompiledLock> MakeCountedLock(
    const interlock::harness::LockOptions& options);
}
