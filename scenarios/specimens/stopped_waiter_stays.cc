// SPDX-License-Identifier: MIT
//
// A waiter that was stopped stays in the line: the queue of a fair lock is left when the wait times
// out, and cancellation, which came to the interface years later, goes another way out of it.
//
// What goes wrong: the user cancels the wait, and its place comes to the head. The lock is free and
// nobody may take it, until the queue itself expires. The fix is one way out of the wait for all
// reasons, and a deadline for each place.
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

Status Leave(RedisClient& redis, Attempt& attempt) {
  if (attempt.stop.stop_requested()) return Status();
  return redis.Call({"LREM", attempt.key + ":queue", "0", attempt.client}).status();
}

}  // namespace

Specimen StoppedWaiterStays() {
  return {MakeLock({.name = "broken/stopped-waiter-stays",
                    .summary = "a fair lock whose waiters leave the line unless they were stopped",
                    .traits = {.stops = true},
                    .lock = Lock,
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          return std::vector<harness::AuxiliaryKey>{
                              {KeyOf(options) + ":queue", kQueueLeases * options.lease}};
                        },
                    .leave = Leave}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
