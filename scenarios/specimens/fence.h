// SPDX-License-Identifier: MIT
//
// Fencing tokens from a counter `<key>:fence`, which lives for a day after each draw. When it is
// drawn from is each page's own.
//
// Thread safety: stateless.
#pragma once

#include <chrono>
#include <vector>

#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {

inline constexpr auto kFenceTtl = std::chrono::hours(24);

/// Draws the next number as the attempt's fencing token.
Status DrawFence(RedisClient& redis, Attempt& attempt);

/// The counter, for Recipe::auxiliary.
std::vector<harness::AuxiliaryKey> FenceKeys(const harness::LockOptions& options);

}  // namespace interlock::scenarios::specimens
