// SPDX-License-Identifier: MIT
//
// Whether a foreign subject can be asked what this program must know of it before any run: its
// name, its traits and so on. It is tried out in a process of its own; in the place of one that
// brings that process down stands another subject, which answers without asking it, and whose runs,
// in a worker, end where the original does. So its own rows fail, and no others.
//
// Non-guarantee: a subject's constructor runs in the user's main, before anything of this.
// Thread safety: call it before there are threads: it forks.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::cli {

/// The subject, if it can be asked, or if this is no program that could fork; else its stand-in.
/// `index`: of the subject among the user's; a stand-in for one without a name is "unnamed-1" if it
/// is the first. `worker`: this process runs what another one has tried out.
std::shared_ptr<const harness::Subject> TriedOut(std::shared_ptr<const harness::Subject> subject,
                                                 std::size_t index, bool worker);

}  // namespace interlock::scenarios::cli
