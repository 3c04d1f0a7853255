// SPDX-License-Identifier: MIT
//
// Finds out whether a foreign subject can be asked what this program must know before any run: its
// name, its traits and so on. The subject is tried out in a process of its own; if it crashes that
// process, a stand-in subject replaces it. The stand-in answers without asking the original, and
// its runs, in a worker, end where the original does, so only the rows of that subject fail.
//
// Non-guarantee: a subject's constructor runs in the user's main, before any of this.
// Thread safety: call it before any threads exist, because it forks.
#pragma once

#include <cstddef>
#include <memory>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::cli {

/// Returns the subject if it can be asked or if this program cannot fork; otherwise its stand-in.
/// `index` is the subject's position among the user's; the stand-in for a first subject without a
/// name is "unnamed-1". `worker`: this process runs subjects that another one has tried out.
std::shared_ptr<const harness::Subject> TriedOut(std::shared_ptr<const harness::Subject> subject,
                                                 std::size_t index, bool worker);

}  // namespace interlock::scenarios::cli
