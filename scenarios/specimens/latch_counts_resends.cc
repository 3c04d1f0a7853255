// SPDX-License-Identifier: MIT
//
// One party, counted twice: a counter that everybody increments who is done, as it stands in many
// answers to "how do I wait for n workers with Redis". The client says it again when it does not
// know whether it was heard, as clients do.
//
// What goes wrong: the first INCR was executed, and only its reply was lost. Now one party counts
// as two, the latch opens while somebody is still at work, and those who waited read half of a
// result. The fix is to remember who has counted: a set, or the number of those who have not.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

Status CountDown(RedisClient& redis, const LatchCall& call) {
  constexpr std::string_view kScript =
      "local count = redis.call('incr', KEYS[1]) "
      "redis.call('pexpire', KEYS[1], ARGV[2]) "
      "if count < tonumber(ARGV[1]) then return 1 end "
      "local bell = KEYS[1] .. ':bell' "
      "redis.call('del', bell) "
      "redis.call('rpush', bell, '1') "
      "return redis.call('pexpire', bell, ARGV[2])";
  return CallScript(redis, kScript, call.key, {std::to_string(call.parties), call.life}, 1,
                    StatusCode::kUnavailable);
}

Result<bool> Look(RedisClient& redis, const LatchCall& call) {
  return CounterIsFull(redis, call.key, call);
}

}  // namespace

Specimen LatchCountsResends() {
  return {MakeLatch({.name = "broken/latch-counts-resends",
                     .summary = "counts a party twice that counts down again",
                     .count_down = CountDown,
                     .await = AwaitBy(Look)}),
          {{"server-exclusion", "lossy", SynchronyClass::kNone}},
          {.clients = 2, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
