// SPDX-License-Identifier: MIT
//
// The release of a lock over several nodes: sent to all of them, also to those that refused or were
// not heard of when it was acquired, and again to those that do not answer.
#pragma once

#include <vector>

#include <interlock/lease.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/scripts/mutex_scripts.h"

namespace interlock::internal {

/// At most release_attempts rounds of `node_timeout` each. On nodes whose acquire may still be
/// under way it is barred as well. YIELDS. For the answer see WhatWasReleased; kCancelled,
/// kInvalidArgument and kProtocolError if that is what decides.
Status ReleaseOnAll(const std::vector<ClientCore*>& nodes, const MutexScripts& scripts,
                    Duration node_timeout, Grant& grant);

}  // namespace interlock::internal
