// SPDX-License-Identifier: MIT
//
// A stack where a queue was meant: RPUSH and RPOP at the same end of a list, one letter from the
// right pair. A mistake of our own invention; what it leads to is what python-redis-lock (#58) and
// redis-py (0 of 254 turns for one process in a published measurement) were reported for.
//
// What goes wrong: who has come last is woken first. With two waiters nobody sees it; with a crowd
// the one that came first is served last, and as long as others keep coming, never. The fix is LPOP
// (and a test with three clients). The rest of this page is correct: each waiter blocks on a list
// of its own, takes its place again after a lost race, leaves it when its patience ends, and looks
// again after a lease at the latest.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

std::string QueueKey(const std::string& key) { return key + ":queue"; }

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local queue = KEYS[1] .. ':queue' "
      "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
      "if ARGV[4] == '1' and not redis.call('lpos', queue, ARGV[3]) then "
      "  redis.call('rpush', queue, ARGV[3]) redis.call('pexpire', queue, ARGV[2]) end "
      "return 0";
  return CallScript(
      redis, kScript, attempt.key,
      {attempt.token, Ms(attempt.lease), attempt.client, attempt.deadline.has_value() ? "1" : "0"},
      1, StatusCode::kNotAcquired);
}

Status Wait(RedisClient& redis, Attempt& attempt) {
  const Patience patience = PatienceOf(redis, attempt, attempt.lease);
  const std::string wake = attempt.key + ":wake:" + attempt.client;
  const Result<Reply> woken = redis.CallUntil({"BLPOP", wake, patience.seconds}, patience.overdue);
  if (!woken.ok()) return woken.status();
  if (woken->IsArray()) return Status();
  return redis.Call({"LREM", QueueKey(attempt.key), "0", attempt.client}).status();
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "redis.call('del', KEYS[1]) "
      "local next = redis.call('rpop', KEYS[1] .. ':queue') "
      "if next then "
      "  local wake = KEYS[1] .. ':wake:' .. next "
      "  redis.call('lpush', wake, '1') redis.call('pexpire', wake, ARGV[2]) end "
      "return 1";
  return CallScript(redis, kScript, attempt.key, {attempt.token, Ms(attempt.lease)}, 1,
                    StatusCode::kNotOwner);
}

}  // namespace

Specimen StackForAQueue() {
  return {MakeLock({.name = "broken/stack-for-a-queue",
                    .summary = "claims to be fair, and wakes the one that came last",
                    .traits = {.bypass_bound = 0},
                    .lock = Lock,
                    .unlock = Unlock,
                    .wait = Wait,
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          const std::string key = KeyOf(options);
                          return std::vector<harness::AuxiliaryKey>{
                              {QueueKey(key), options.lease}, {key + ":wake:*", options.lease}};
                        }}),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
