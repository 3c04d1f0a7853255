// SPDX-License-Identifier: MIT
//
// Latches.
#include <algorithm>
#include <chrono>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/latch.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// One party, counted twice: a counter that each party increments when it is done, as it stands in
// many answers to "how do I wait for n workers with Redis". The client says it again when it does
// not know whether it was heard, as clients do.
//
// What goes wrong: the first INCR was executed, and only its reply was lost. Now one party counts
// as two, the latch opens while somebody is still at work, and the waiters read half of a result.
// The fix is to remember who has counted: a set, or the number of those who have not.
Specimen LatchCountsResends() {
  const auto count_down = [](RedisClient& redis, const LatchCall& call) {
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
  };
  return {MakeLatch({.name = "broken/latch-counts-resends",
                     .summary = "counts a party twice that counts down again",
                     .count_down = count_down,
                     .await = AwaitBy(CounterIsFull(""))}),
          {{"server-exclusion", "lossy", SynchronyClass::kNone}},
          {.clients = 2, .lost_replies = 1}};
}

// Marked, and not counted: the remedy for parties that count twice, made of two commands. SADD says
// whether the party is new, and only for a new one the counter is incremented.
//
// What goes wrong: between the two commands the client dies, or its connection does. It says so
// again later, or somebody says it in its place, and is told that the party is known; nobody counts
// it any more, and the latch never opens. The fix is to do both in one script, or to count the set.
Specimen LatchMarksThenCounts() {
  const auto count_down = [](RedisClient& redis, const LatchCall& call) {
    constexpr std::string_view kMark =
        "local new = redis.call('sadd', KEYS[1], ARGV[1]) "
        "redis.call('pexpire', KEYS[1], ARGV[2]) "
        "return new";
    constexpr std::string_view kCount =
        "local count = redis.call('incr', KEYS[1]) "
        "redis.call('pexpire', KEYS[1], ARGV[1]) "
        "return count";
    const Result<Reply> marked = redis.Call({"EVAL", kMark, "1", call.key, call.party, call.life});
    if (!marked.ok()) return marked.status();
    if (!marked->IsInteger()) return Status(StatusCode::kUnavailable, marked->text);
    if (marked->integer == 0) return Status();
    const Result<Reply> counted = redis.Call({"EVAL", kCount, "1", call.key + ":count", call.life});
    if (!counted.ok()) return counted.status();
    if (!counted->IsInteger()) return Status(StatusCode::kUnavailable, counted->text);
    return counted->integer >= call.parties ? RingBell(redis, call) : Status();
  };
  return {MakeLatch({.name = "broken/latch-marks-then-counts",
                     .summary = "marks a party and counts it in two commands",
                     .count_down = count_down,
                     .await = AwaitBy(CounterIsFull(":count"))}),
          {{"deadlock", "crash", SynchronyClass::kNone, kChance}},
          {.crashes = 1}};
}

// One bell for everybody: the last party pushes one element to the list at which the waiters sleep,
// as the release of a lock does.
//
// What goes wrong: a lock wakes one waiter because one can have it. A latch lets all of them
// through, and the one that popped the element goes its way; the others sleep on at an open latch,
// until their deadlines or for ever. The fix: each woken waiter wakes the next, or one element for
// each waiter, or an element that is looked at and left where it is.
Specimen LatchWakesOne() {
  const auto await = [](RedisClient& redis, const LatchCall& call) {
    const Result<bool> open = SetIsFull(redis, call);
    if (!open.ok()) return open.status();
    if (*open) return Status();
    while (redis.runtime().Now() < call.deadline) {
      const Result<Reply> rung = HearBell(redis, call);
      if (!rung.ok()) return rung.status();
      if (rung->IsArray()) return Status();
    }
    return Status(StatusCode::kTimeout, "not open in time");
  };
  return {MakeLatch({.name = "broken/latch-wakes-one",
                     .summary = "wakes one of those who wait, and that one wakes nobody",
                     .await = await}),
          {{"deadlock", "contention", SynchronyClass::kNone, kChance}},
          {.clients = 3}};
}

// The turnstile: a client that wants to pass pops the element and pushes it back for the next, and
// the list is all that there is to look at: it holds an element exactly as long as the latch is
// open.
//
// What goes wrong: between its two commands a client has the element, and nobody else does. It dies
// there, or the reply of the pop is lost: the list stays empty, everybody who comes later is told
// that the latch is closed, and all waiters wait for ever. The fix is to keep what is asked about
// apart from what wakes: to look at the count, and to pop for nothing but sleep.
Specimen LatchTurnstile() {
  const auto await = [](RedisClient& redis, const LatchCall& call) {
    // A look takes its time too: a blocking pop without a time-out of its own would wait for ever.
    constexpr std::chrono::milliseconds kLook(1);
    LatchCall looking = call;
    looking.deadline = std::max(call.deadline, AddSaturating(redis.runtime().Now(), kLook));
    while (redis.runtime().Now() < looking.deadline) {
      const Result<Reply> rung = HearBell(redis, looking);
      if (!rung.ok()) return rung.status();
      if (rung->IsArray()) return RingBell(redis, call);
    }
    return Status(StatusCode::kTimeout, "not open in time");
  };
  return {MakeLatch({.name = "broken/latch-turnstile",
                     .summary = "takes the element that means open, and puts it back",
                     .await = await}),
          {{"deadlock", "crash", SynchronyClass::kNone, kInstant},
           {"spurious-refusal", "crash", SynchronyClass::kNone}},
          {.clients = 2, .crashes = 1}};
}

// The parties that have counted stand in a set, their number in a counter beside it, and one script
// changes both: what is asked for at every look then costs no more than a GET.
//
// What goes wrong: two keys that say the same are kept by a server that can lose one of them, to an
// eviction or a hand that cleans up. The set is gone, and a party that says once more that it is
// done, to be sure, is new and counts as two; the latch opens while somebody is still at work. The
// fix is to keep one of them and to work the other one out: SCARD costs no more than GET.
Specimen LatchCounterBesideIds() {
  const auto count_down = [](RedisClient& redis, const LatchCall& call) {
    constexpr std::string_view kScript =
        "local counter = KEYS[1] .. ':count' "
        "if redis.call('sadd', KEYS[1], ARGV[1]) == 1 then redis.call('incr', counter) end "
        "redis.call('pexpire', KEYS[1], ARGV[3]) "
        "redis.call('pexpire', counter, ARGV[3]) "
        "if tonumber(redis.call('get', counter) or 0) < tonumber(ARGV[2]) then return 1 end ";
    return CountBy(redis, call, kScript);
  };
  return {MakeLatch({.name = "broken/latch-counter-beside-ids",
                     .summary = "counts in a counter beside the set of those who have",
                     .count_down = count_down,
                     .await = AwaitBy(CounterIsFull(":count"))}),
          {{"server-exclusion", "data-loss", SynchronyClass::kNone, kInstant}},
          {.clients = 2},
          "servers of the explored world evict no single keys"};
}

// The latch that tidies up: it has served its purpose once it is open, so the party that opens it
// leaves its keys the time that it takes to wake the waiters, and no more.
//
// What goes wrong: somebody comes later than that: a process that was started again, or one whose
// own work took longer. There is no latch any more, and it waits for parties that have all been
// there. The fix is to let an open latch live as long as a closed one: as long as anybody may ask.
Specimen LatchForgetsWhenOpen() {
  const auto count_down = [](RedisClient& redis, const LatchCall& call) {
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
  };
  return {MakeLatch({.name = "broken/latch-forgets-when-open",
                     .summary = "lets its keys expire once those who wait have been woken",
                     .count_down = count_down}),
          {{"spurious-refusal", "contention", SynchronyClass::kNone},
           {"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2},
          "who comes later than all others comes when all is well again"};
}

// The latch that lives from its first party on: the party that makes the set gives it its life, and
// the others only add themselves.
//
// What goes wrong: the parties come one after the other, each well within the latch's life of the
// one before, but the last of them later than one life after the first. By then the set is gone
// with all who had counted: the latch never opens, and the waiters that were let through see it
// closed again. The fix: each count down keeps the latch for its whole life.
Specimen LatchLifeOfTheFirst() {
  const auto count_down = [](RedisClient& redis, const LatchCall& call) {
    constexpr std::string_view kScript =
        "redis.call('sadd', KEYS[1], ARGV[1]) "
        "if redis.call('pttl', KEYS[1]) < 0 then redis.call('pexpire', KEYS[1], ARGV[3]) end "
        "if redis.call('scard', KEYS[1]) < tonumber(ARGV[2]) then return 1 end ";
    return CountBy(redis, call, kScript);
  };
  return {
      MakeLatch({.name = "broken/latch-life-of-the-first",
                 .summary = "lives from the first count down on, whatever comes later",
                 .count_down = count_down}),
      {{"spurious-refusal", "contention", SynchronyClass::kNone, "every latch outlives a real run"},
       {"deadlock", "contention", SynchronyClass::kNone, "every latch outlives a real run"}},
      {.clients = 3}};
}

}  // namespace

std::vector<Specimen> LatchesSpecimens() {
  return {LatchCountsResends(),    LatchMarksThenCounts(), LatchWakesOne(),      LatchTurnstile(),
          LatchCounterBesideIds(), LatchForgetsWhenOpen(), LatchLifeOfTheFirst()};
}

}  // namespace interlock::scenarios::specimens
