// SPDX-License-Identifier: MIT
//
// A semaphore whose holders are members of a sorted set, each scored with the end of its lease in
// the server's milliseconds, as symfony/semaphore and the Python libraries have it. What specimens
// of this kind have in common.
//
// Thread safety: stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

/// A script that finds `now`, the server's time in ms.
std::string AfterNow(std::string_view script);

/// For Recipe::owners.
std::optional<std::vector<harness::Owner>> PermitSetOwners(const harness::ServerView& server,
                                                           const harness::LockOptions& options);

/// Correctly: sweeps out whose leases are over, counts the others, and adds the attempt's member.
/// kNotAcquired: all permits are out.
Status EnterPermitSet(RedisClient& redis, Attempt& attempt);

/// Takes the attempt's member out. kNotOwner: it was not there.
Status LeavePermitSet(RedisClient& redis, Attempt& attempt);

/// Between two tries: YIELDS until a signal comes (see signal.h), the lease of a permit that is out
/// is over, or the caller's deadline is.
Status AwaitPermitSignal(RedisClient& redis, Attempt& attempt);

}  // namespace interlock::scenarios::specimens
