// SPDX-License-Identifier: MIT
//
// A lock that is handed over: a client that finds it taken joins a queue, and a release makes the
// first in the queue the owner, and wakes it. A waiter has one token from its first command to the
// grant or the end of the wait.
//
// Thread safety: stateless; a recipe is immutable.
#pragma once

#include <cstdint>
#include <string_view>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

/// Whether a waiter that was woken asks the server once more, which makes its lease whole; counts
/// its lease from when it was refused last; or believes in a whole one from then on.
enum class WhenWoken : std::uint8_t { kAsks, kCounts, kBelieves };

/// A waiter looks for itself when a lease has passed, or `looks_per_lease` times within one.
Recipe HandedOver(std::string_view name, std::string_view summary, WhenWoken when_woken,
                  int looks_per_lease);

/// An operator's step: gives to the next in line what `attempt.token` has, which may fetch it later
/// all the same.
Status GivesToTheNext(RedisClient& redis, Attempt& attempt);

}  // namespace interlock::scenarios::specimens
