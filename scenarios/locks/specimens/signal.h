// SPDX-License-Identifier: MIT
//
// Waiters that block until they are told: the list `<key>:signal`, to which a release pushes one
// element, as python-redis-lock has it. The steps here are the correct ones; a specimen replaces
// the one that its story is about.
//
// Thread safety: stateless.
#pragma once

#include <string>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

std::string SignalKey(const std::string& key);

/// What a specimen declares that signals as these steps do.
inline constexpr KeyBeside kSignalBeside{":signal"};

/// YIELDS until a signal comes or the caller's deadline is over, without a look at the lock's TTL.
Status WaitForSignal(RedisClient& redis, Attempt& attempt);

/// YIELDS until a signal comes, for a lease at most and not past the caller's deadline. An array:
/// one came.
Result<Reply> PopSignal(RedisClient& redis, const Attempt& attempt);
/// The same, for Recipe::wait.
Status WaitForSignalOrLease(RedisClient& redis, Attempt& attempt);

/// Releases and signals in one step; the signal lives for a lease. kNotOwner: was no longer held.
Status UnlockAndSignal(RedisClient& redis, Attempt& attempt);

}  // namespace interlock::scenarios::specimens
