// SPDX-License-Identifier: MIT
//
// Extend adds to what is left: redis-py's Lock.extend prolongs by `additional_time` on top of the
// time that the lock still has, unless it is told to replace it; and callers give it the lease.
//
// What goes wrong: whoever renews at half time gains half a lease with each renewal, on the server,
// and believes in one lease only. Nobody notices until the holder dies: then the lock stays taken
// for as many leases as the renewals have piled up. The fix is to set the TTL to a lease from now.
// Lock and unlock of this page are correct.
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "return redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + ARGV[2])";
  const MonotonicTime asked = redis.runtime().Now();
  const Status extended = CallScript(redis, kScript, attempt.key,
                                     {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = ValidFrom(asked, attempt.lease);
  return extended;
}

}  // namespace

Specimen ExtendAddsUp() {
  return {MakeLock({.name = "broken/extend-adds-up",
                    .summary = "extends by a lease on top of what is left of the last one",
                    .traits = {.can_extend = true},
                    .extend = Extend}),
          {{"keys", "overstay", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
