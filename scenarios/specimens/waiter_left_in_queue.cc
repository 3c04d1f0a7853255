// SPDX-License-Identifier: MIT
//
// A waiter that has gone stays in the queue: Redisson's fair lock (many reports, the last fix in
// 2026). Whoever finds the lock taken joins a queue, and only its head may take the lock.
//
// What goes wrong: the wait times out, or the reply is lost, and the client goes away without
// leaving the queue. When its place comes to the head, the lock is free and nobody may take it,
// until the queue itself expires. No fault is needed, only impatience. The fix is to leave the
// queue on every way out of the wait; and to give each place a deadline that its owner has to
// renew.
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr int kQueueLeases = 8;

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local queue = KEYS[1] .. ':queue' "
      "local head = redis.call('lindex', queue, 0) "
      "local mine = not head or head == ARGV[3] "
      "if mine and redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
      "  if head then redis.call('lpop', queue) end "
      "  return 1 end "
      "if ARGV[4] == '1' and not redis.call('lpos', queue, ARGV[3]) then "
      "  redis.call('rpush', queue, ARGV[3]) redis.call('pexpire', queue, ARGV[5]) end "
      "return 0";
  return CallScript(redis, kScript, attempt.key,
                    {attempt.token, Ms(attempt.lease), attempt.client,
                     attempt.deadline.has_value() ? "1" : "0", Ms(kQueueLeases * attempt.lease)},
                    1, StatusCode::kNotAcquired);
}

}  // namespace

Specimen WaiterLeftInQueue() {
  return {MakeLock({.name = "broken/waiter-left-in-queue",
                    .summary = "a fair lock whose waiters keep their place when they have left",
                    .lock = Lock,
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          return std::vector<harness::AuxiliaryKey>{
                              {KeyOf(options) + ":queue", kQueueLeases * options.lease}};
                        }}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
