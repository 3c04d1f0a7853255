// SPDX-License-Identifier: MIT
//
// Keys (LK011): (a) no key without a TTL after any command, (b) no ownership entry that its client
// does not know of stays until its TTL after the client was told a definite outcome, (c) at the end
// nothing is left that will not go away within the lease, but for declared auxiliary keys within
// their own.
#pragma once

#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/history.h"
#include "sim/redis/server.h"

namespace interlock::scenarios {

/// (a), after a command of `client`. Reports the first key without a TTL.
void JudgeKeyHasTtl(const std::vector<sim::redis::Server::KeyInfo>& keys, int client,
                    VirtualTime now, std::vector<Violation>& violations);

/// (b), after the run.
void JudgeOrphans(const History& history, std::vector<Violation>& violations);

/// (c), after the run, at server time `now_ms`.
void JudgeLeftovers(const std::vector<sim::redis::Server::KeyInfo>& keys, std::int64_t now_ms,
                    const std::vector<harness::AuxiliaryKey>& auxiliary, const History& history,
                    std::vector<Violation>& violations);

}  // namespace interlock::scenarios
