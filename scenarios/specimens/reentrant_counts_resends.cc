// SPDX-License-Identifier: MIT
//
// One hold, counted twice: a re-entrant lock keeps a count for its owner, HINCRBY on the way in and
// out, as Redisson's does, and the client library sends a command again whose reply did not come.
//
// What goes wrong: the first sending was executed, and the second finds the owner inside, lets it
// in again, and counts two. The owner knows of one hold and gives one back; the count never comes
// down to zero, and the resource is taken by nobody until the lease ends, for ever if something
// renews it. The fix is to name each hold, so that the same one is counted once.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kEnter =
    "if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then "
    "return 0 end "
    "redis.call('HINCRBY', KEYS[1], ARGV[1], 1) "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2])";

constexpr std::string_view kLeave =
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end "
    "if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then redis.call('DEL', KEYS[1]) end "
    "return 1";

Status Lock(RedisClient& redis, Attempt& attempt) {
  const auto enter = [&] {
    return CallScript(redis, kEnter, attempt.key, {attempt.token, Ms(attempt.lease)}, 1,
                      StatusCode::kNotAcquired);
  };
  const Status once = enter();
  const bool failed = !once.ok() && once.code() != StatusCode::kNotAcquired &&
                      once.code() != StatusCode::kCancelled;
  return failed ? enter() : once;
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  return CallScript(redis, kLeave, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
}

std::optional<std::vector<harness::Owner>> Owners(const harness::ServerView& server,
                                                  const harness::LockOptions& options) {
  const std::string key = KeyOf(options);
  std::vector<harness::Owner> owners;
  for (auto& [owner, count] : server.Hash(key)) {
    owners.push_back({std::move(owner), server.ExpiresAtMs(key)});
  }
  return owners;
}

}  // namespace

Specimen ReentrantCountsResends() {
  return {MakeLock({.name = "broken/reentrant-counts-resends",
                    .summary = "counts a hold twice if it was asked for again after a lost reply",
                    .lock = Lock,
                    .unlock = Unlock,
                    .socket_timeout = std::chrono::milliseconds(200),
                    .owners = Owners}),
          {{"keys", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
