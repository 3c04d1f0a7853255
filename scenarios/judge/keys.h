// SPDX-License-Identifier: MIT
//
// Keys (LK011): (a) after any command, no key lacks a TTL or has a longer one than allowed; (b)
// once a client was told a definite outcome, no ownership entry unknown to it is left to run out
// its TTL; (c) everything left at the end disappears within the lease, or declared auxiliary keys
// within their own limits.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/judge/property.h"
#include "scenarios/log/history.h"
#include "scenarios/log/key_limits.h"
#include "sim/redis/server.h"

namespace interlock::scenarios {

/// (a), of a key that was noted during the run.
void JudgeOutlivingKey(const OutlivingKey& one, Violations& found);

/// (b), after the run.
void JudgeOrphans(const History& history, std::vector<Violation>& violations);

/// (c), after the run, at server time `now_ms`.
void JudgeLeftovers(const std::vector<sim::redis::Server::KeyInfo>& keys, std::int64_t now_ms,
                    const KeyLimits& limits, const History& history,
                    std::vector<Violation>& violations);

}  // namespace interlock::scenarios
