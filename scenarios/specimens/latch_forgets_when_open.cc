// SPDX-License-Identifier: MIT
//
// The latch that tidies up: it has served its purpose once it is open, so whoever opens it leaves
// its keys the time that it takes to wake those who wait, and no more.
//
// What goes wrong: somebody comes later than that: a process that was started again, or one whose
// own work took longer. There is no latch any more, and it waits for parties that have all been
// there. The fix is to let an open latch live as long as a closed one: as long as anybody may ask.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status CountDown(RedisClient& redis, const LatchCall& call) {
  constexpr std::string_view kScript =
      "redis.call('sadd', KEYS[1], ARGV[1]) "
      "redis.call('pexpire', KEYS[1], ARGV[3]) "
      "if redis.call('scard', KEYS[1]) < tonumber(ARGV[2]) then return 1 end "
      "redis.call('pexpire', KEYS[1], ARGV[4]) "
      "local bell = KEYS[1] .. ':bell' "
      "redis.call('del', bell) "
      "redis.call('rpush', bell, '1') "
      "return redis.call('pexpire', bell, ARGV[4])";
  return CallScript(redis, kScript, call.key,
                    {call.party, std::to_string(call.parties), call.life, Ms(call.patience)}, 1,
                    StatusCode::kUnavailable);
}

}  // namespace

Specimen LatchForgetsWhenOpen() {
  return {MakeLatch({.name = "broken/latch-forgets-when-open",
                     .summary = "lets its keys expire once those who wait have been woken",
                     .count_down = CountDown}),
          {{"spurious-refusal", "contention", SynchronyClass::kNone},
           {"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
