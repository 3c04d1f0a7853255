// SPDX-License-Identifier: MIT
//
// One identifier for the whole object: the semaphore of swarthy's redis-semaphore makes its
// identifier when it is constructed, and every acquire through it enters that one into the sorted
// set of holders.
//
// What goes wrong: two tasks of a process share the object, as the API invites them to. The set has
// one member for both, so it counts one holder; any number of tasks may enter as long as the set is
// not full. And the first to leave takes the entry of all. The fix is an identifier for each hold.
// All clients of this page are tasks that share one object.
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
      "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', KEYS[1], ARGV[2])";
  attempt.token = "b6a1c9d2-the-object";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), std::to_string(attempt.permits)}, 1,
                    StatusCode::kNotAcquired);
}

}  // namespace

Specimen OneIdPerObject() {
  return {MakeLock({.name = "broken/one-id-per-object",
                    .summary = "enters the object, not the hold, into the set of holders",
                    .traits = {.semaphore = true},
                    .lock = Lock,
                    .unlock = LeavePermitSet,
                    .owners = PermitSetOwners}),
          {{"permits-belief", "permits", SynchronyClass::kBounded}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
