// SPDX-License-Identifier: MIT
//
// The latch that lives from its first party on: whoever makes the set gives it its life, and the
// others only add themselves.
//
// What goes wrong: the parties come one after the other, each well within the latch's life of the
// one before, but the last of them later than one life after the first. By then the set is gone
// with all who had counted: the latch never opens, and those who were let through see it closed
// again. The fix: each count down keeps the latch for its whole life.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status CountDown(RedisClient& redis, const LatchCall& call) {
  constexpr std::string_view kScript =
      "redis.call('sadd', KEYS[1], ARGV[1]) "
      "if redis.call('pttl', KEYS[1]) < 0 then redis.call('pexpire', KEYS[1], ARGV[3]) end "
      "if redis.call('scard', KEYS[1]) < tonumber(ARGV[2]) then return 1 end "
      "local bell = KEYS[1] .. ':bell' "
      "redis.call('del', bell) "
      "redis.call('rpush', bell, '1') "
      "return redis.call('pexpire', bell, ARGV[3])";
  return CallScript(redis, kScript, call.key, {call.party, std::to_string(call.parties), call.life},
                    1, StatusCode::kUnavailable);
}

}  // namespace

Specimen LatchLifeOfTheFirst() {
  return {MakeLatch({.name = "broken/latch-life-of-the-first",
                     .summary = "lives from the first count down on, whatever comes later",
                     .count_down = CountDown}),
          {{"spurious-refusal", "contention", SynchronyClass::kNone},
           {"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
