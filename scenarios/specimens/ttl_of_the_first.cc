// SPDX-License-Identifier: MIT
//
// One TTL for many leases: symfony/semaphore (until 2020) mixed deadlines for each entry with a TTL
// of the whole set, and got the two out of step.
//
// What goes wrong: each holder's deadline stands beside it in the sorted set, as it should. But the
// set itself gets its TTL from whoever made it, and when that time is over, Redis removes the set
// with everybody in it: those who came later lose their permits in the middle of their leases,
// unnoticed, and as many others enter. The fix: the TTL of a shared key only ever grows.
#include <string>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/permit_set.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local time = redis.call('time') "
      "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
      "redis.call('zremrangebyscore', KEYS[1], '-inf', '(' .. string.format('%.0f', now)) "
      "local others = redis.call('zcard', KEYS[1]) "
      "if others >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "if others == 0 then redis.call('pexpire', KEYS[1], ARGV[2]) end "
      "return 1";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                    StatusCode::kNotAcquired);
}

}  // namespace

Specimen TtlOfTheFirst() {
  return {MakeLock({.name = "broken/ttl-of-the-first",
                    .summary = "lets the first holder's lease end the permits of all",
                    .traits = {.semaphore = true},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded}},
          {.clients = 3, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
