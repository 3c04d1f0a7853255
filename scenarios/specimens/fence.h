// SPDX-License-Identifier: MIT
//
// Fencing tokens from a counter `<key>:fence`. When it is drawn from, and how long it lives after
// that, is each page's own; by default a day.
//
// Thread safety: stateless.
#pragma once

#include <chrono>
#include <vector>

#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {

inline constexpr auto kFenceTtl = std::chrono::hours(24);

/// Locks and draws in one script; the counter lives for `ttl` from then on.
Status LockAndCount(RedisClient& redis, Attempt& attempt, std::chrono::milliseconds ttl);

/// Draws the next number as the attempt's fencing token.
Status DrawFence(RedisClient& redis, Attempt& attempt);

/// The counter, for Recipe::auxiliary.
std::vector<harness::AuxiliaryKey> FenceKeys(const harness::LockOptions& options);

}  // namespace interlock::scenarios::specimens
