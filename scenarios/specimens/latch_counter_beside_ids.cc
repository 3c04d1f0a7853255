// SPDX-License-Identifier: MIT
//
// Who has counted stands in a set, how many have stands in a counter beside it, and one script
// changes both: what is asked for at every look then costs no more than a GET.
//
// What goes wrong: two keys that say the same are kept by a server that can lose one of them, to an
// eviction or a hand that cleans up. The set is gone, and a party that says once more that it is
// done, to be sure, is new and counts as two; the latch opens while somebody is still at work. The
// fix is to keep one of them and to work the other one out: SCARD costs no more than GET.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

std::string Counter(const LatchCall& call) { return call.key + ":count"; }

Status CountDown(RedisClient& redis, const LatchCall& call) {
  constexpr std::string_view kScript =
      "local counter = KEYS[1] .. ':count' "
      "if redis.call('sadd', KEYS[1], ARGV[1]) == 1 then redis.call('incr', counter) end "
      "redis.call('pexpire', KEYS[1], ARGV[3]) "
      "redis.call('pexpire', counter, ARGV[3]) "
      "if tonumber(redis.call('get', counter) or 0) < tonumber(ARGV[2]) then return 1 end "
      "local bell = KEYS[1] .. ':bell' "
      "redis.call('del', bell) "
      "redis.call('rpush', bell, '1') "
      "return redis.call('pexpire', bell, ARGV[3])";
  return CallScript(redis, kScript, call.key, {call.party, std::to_string(call.parties), call.life},
                    1, StatusCode::kUnavailable);
}

Result<bool> Look(RedisClient& redis, const LatchCall& call) {
  return CounterIsFull(redis, Counter(call), call);
}

}  // namespace

Specimen LatchCounterBesideIds() {
  return {MakeLatch({.name = "broken/latch-counter-beside-ids",
                     .summary = "counts in a counter beside the set of those who have",
                     .count_down = CountDown,
                     .await = AwaitBy(Look)}),
          {{"server-exclusion", "data-loss", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
