// SPDX-License-Identifier: MIT
//
// A readers/writer lock made of steps: the writer is a string with a TTL, readers are members of a
// sorted set, `<key>:readers`, each scored with the end of its lease in the server's milliseconds,
// as symfony/lock has it. Waiters poll. The steps here are the correct ones; a specimen replaces
// the one that its story is about.
//
// Thread safety: stateless.
#pragma once

#include <initializer_list>
#include <string_view>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

/// Runs a script of such a lock, as CallScript. It finds `now`, in the server's milliseconds,
/// `readers`, their key, and ms(n), which makes text of such a number.
Status CallReaders(RedisClient& redis, std::string_view script, const Attempt& attempt,
                   std::initializer_list<std::string_view> arguments, StatusCode otherwise);

/// The same with ARGV token, lease, to enter: kNotAcquired for anything but 1.
Status EnterBy(RedisClient& redis, const Attempt& attempt, std::string_view script);

/// Each does what the attempt's side has to do; a script's 1 is a yes.
Status EnterCorrectly(RedisClient& redis, Attempt& attempt);
Status LeaveCorrectly(RedisClient& redis, Attempt& attempt);

/// Those that are not given are correct.
struct ReadersSteps {
  Step lock = EnterCorrectly;
  Step unlock = LeaveCorrectly;
};

Recipe ReadersRecipe(std::string_view name, std::string_view summary, ReadersSteps steps = {});

}  // namespace interlock::scenarios::specimens
