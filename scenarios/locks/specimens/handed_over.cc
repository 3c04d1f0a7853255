// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/handed_over.h"

#include <string>

namespace interlock::scenarios::specimens {
namespace {

constexpr int kHandedOverQueueLeases = 8;

// A client that finds the lock free gives it to the first in line, which may be itself.
constexpr std::string_view kHandOver =
    "local queue = KEYS[1] .. ':queue' "
    "local function give(token) "
    "  redis.call('set', KEYS[1], token, 'PX', ARGV[2]) "
    "  if token == ARGV[1] then return end "
    "  redis.call('rpush', KEYS[1] .. ':turn:' .. token, '1') "
    "  redis.call('pexpire', KEYS[1] .. ':turn:' .. token, ARGV[2]) end ";

Status Ask(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kAsk =
      "local owner = redis.call('get', KEYS[1]) "
      "if not owner then owner = redis.call('lpop', queue) or ARGV[1] give(owner) end "
      "if owner == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end "
      "if ARGV[3] == '1' and not redis.call('lpos', queue, ARGV[1]) then "
      "  redis.call('rpush', queue, ARGV[1]) redis.call('pexpire', queue, 8 * ARGV[2]) end "
      "return 0";
  const MonotonicTime sent = redis.runtime().Now();
  const bool waits = attempt.deadline.has_value();
  const Status asked = CallScript(redis, std::string(kHandOver).append(kAsk), attempt.key,
                                  {attempt.token, Ms(attempt.lease), waits ? "1" : "0"}, 1,
                                  StatusCode::kNotAcquired);
  attempt.valid_until = ValidFrom(sent, attempt.lease);
  return asked;
}

/// After `first`: takes the lock from a token that owns it, with the `keys` beside it, and gives it
/// to the next in line.
Status GiveUp(RedisClient& redis, const Attempt& attempt, std::string_view first,
              std::string_view keys) {
  std::string script(kHandOver);
  script.append(first)
      .append(
          "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('del', KEYS[1]")
      .append(keys)
      .append(") local next = redis.call('lpop', queue) if next then give(next) end return 1");
  return CallScript(redis, attempt, script, StatusCode::kNotOwner);
}

Status LeaveQueue(RedisClient& redis, Attempt& attempt) {
  return GiveUp(redis, attempt, "redis.call('lrem', queue, 0, ARGV[1]) ",
                ", KEYS[1] .. ':turn:' .. ARGV[1]");
}

Status LockOrQueue(RedisClient& redis, Attempt& attempt, WhenWoken when_woken,
                   int looks_per_lease) {
  for (;;) {
    const Status asked = Ask(redis, attempt);
    if (asked.code() != StatusCode::kNotAcquired || !attempt.deadline.has_value()) return asked;
    if (redis.runtime().Now() >= *attempt.deadline) break;
    const Result<Reply> woken = BlockingPop(redis, attempt, attempt.key + ":turn:" + attempt.token,
                                            attempt.lease / looks_per_lease);
    if (!woken.ok()) return woken.status();
    if (woken->IsNil() || when_woken == WhenWoken::kAsks) continue;
    if (when_woken == WhenWoken::kBelieves) {
      attempt.valid_until = ValidFrom(redis.runtime().Now(), attempt.lease);
    }
    return Status();
  }
  const Status left = LeaveQueue(redis, attempt);
  const bool over = left.ok() || left.code() == StatusCode::kNotOwner;
  return over ? Status(StatusCode::kNotAcquired, "its turn did not come") : left;
}

}  // namespace

Status GivesToTheNext(RedisClient& redis, Attempt& attempt) {
  return GiveUp(redis, attempt, "", "");
}

Recipe HandedOver(std::string_view name, std::string_view summary, WhenWoken when_woken,
                  int looks_per_lease) {
  return {.name = name,
          .summary = summary,
          .lock =
              [=](RedisClient& redis, Attempt& attempt) {
                return LockOrQueue(redis, attempt, when_woken, looks_per_lease);
              },
          .unlock = LeaveQueue,
          .auxiliary = {{":queue", kHandedOverQueueLeases}, {":turn:*"}}};
}

}  // namespace interlock::scenarios::specimens
