// SPDX-License-Identifier: MIT
//
// Marked, and not counted: the remedy for parties that count twice, made of two commands. SADD says
// whether the party is new, and only for a new one the counter is incremented.
//
// What goes wrong: between the two commands the client dies, or its connection does. It says so
// again later, or somebody says it in its place, and is told that the party is known; nobody counts
// it any more, and the latch never opens. The fix is to do both in one script, or to count the set.
#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

std::string Counter(const LatchCall& call) { return call.key + ":count"; }

Status CountDown(RedisClient& redis, const LatchCall& call) {
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
  const Result<Reply> counted = redis.Call({"EVAL", kCount, "1", Counter(call), call.life});
  if (!counted.ok()) return counted.status();
  if (!counted->IsInteger()) return Status(StatusCode::kUnavailable, counted->text);
  return counted->integer >= call.parties ? RingBell(redis, call) : Status();
}

Result<bool> Look(RedisClient& redis, const LatchCall& call) {
  return CounterIsFull(redis, Counter(call), call);
}

}  // namespace

Specimen LatchMarksThenCounts() {
  return {MakeLatch({.name = "broken/latch-marks-then-counts",
                     .summary = "marks a party and counts it in two commands",
                     .count_down = CountDown,
                     .await = AwaitBy(Look)}),
          {{"deadlock", "crash", SynchronyClass::kNone}},
          {.crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
