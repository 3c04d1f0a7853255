// SPDX-License-Identifier: MIT
//
// Extend brings a lost lock back: the renewal stores the key again when it is missing. swarthy's
// redis-semaphore (until 2023), RedLock.net, aioredlock, redlock-rb, redsync's SetNXOnExtend.
//
// What goes wrong: it looks like robustness. But a key that is missing means that the lease has
// ended, and in the gap another client may have come, worked and gone; or may be there still, on
// what it was promised. The old holder never learns that it was not alone. The fix: a missing key
// is a lost lock, and extend says so. Lock and unlock of this page are correct.
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local owner = redis.call('get', KEYS[1]) "
      "if owner and owner ~= ARGV[1] then return 0 end "
      "redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";
  const Status extended = CallScript(redis, kScript, attempt.key,
                                     {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return extended;
}

}  // namespace

Specimen ExtendCreatesAnew() {
  return {MakeLock({.name = "broken/extend-creates-anew",
                    .summary = "extends a lease that has ended, as if it had never been away",
                    .traits = {.can_extend = true},
                    .extend = Extend}),
          {{"foreign-extend", "overstay", SynchronyClass::kNone}},
          {.clients = 1, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
