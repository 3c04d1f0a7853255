// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/queued.h"

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

Recipe Queued(std::string_view name, std::string_view summary) {
  return {.name = name, .summary = summary, .lock = Lock, .auxiliary = {{":queue", kQueueLeases}}};
}

}  // namespace interlock::scenarios::specimens
