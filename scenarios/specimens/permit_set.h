// SPDX-License-Identifier: MIT
//
// A semaphore whose holders are members of a sorted set, each scored with the end of its lease in
// the server's milliseconds, as symfony/semaphore and the Python libraries have it. What pages of
// this kind have in common; entering the set is each page's own.
//
// Thread safety: stateless.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {

/// The members of the set whose leases are not over.
std::optional<std::vector<harness::Owner>> PermitSetOwners(const harness::ServerView& server,
                                                           const harness::LockOptions& options);

/// Takes the attempt's member out. kNotOwner: it was not there.
Status LeavePermitSet(RedisClient& redis, Attempt& attempt);

}  // namespace interlock::scenarios::specimens
