// SPDX-License-Identifier: MIT
//
// "It is your turn" is taken for "you hold it": etcd's lock (#11456) let a client wait in a queue,
// and when everybody before it had gone, reported the lock as held, without looking whether the
// lease of its own place was still alive.
//
// What goes wrong: the place in the queue was taken with a lease, and the lease runs while its
// owner waits. When the turn comes, little or nothing is left of it. Whoever stands behind sees a
// place whose lease has ended, goes past it, and both are inside. No fault is needed, only a long
// wait. The fix is to look at one's own lease when the turn has come, and to stand in the queue
// anew if it is over.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

std::string QueueKey(const std::string& key) { return key + ":queue"; }
std::string PlaceKey(const std::string& key, const std::string& token) {
  return key + ":place:" + token;
}

/// Takes the last place, and waits until those before it are gone.
Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kEnqueue =
      "redis.call('rpush', KEYS[1] .. ':queue', ARGV[1]) "
      "redis.call('pexpire', KEYS[1] .. ':queue', 8 * ARGV[2]) "
      "redis.call('set', KEYS[1] .. ':place:' .. ARGV[1], '1', 'PX', ARGV[2]) "
      "return 1";
  constexpr std::string_view kIsFirst =
      "for _, token in ipairs(redis.call('lrange', KEYS[1] .. ':queue', 0, -1)) do "
      "if token == ARGV[1] then return 1 end "
      "if redis.call('exists', KEYS[1] .. ':place:' .. token) == 1 then return 0 end end "
      "return 1";
  const Status queued = CallScript(redis, kEnqueue, attempt.key, {attempt.token, Ms(attempt.lease)},
                                   1, StatusCode::kProtocolError);
  if (!queued.ok()) return queued;
  for (;;) {
    const MonotonicTime now = redis.runtime().Now();
    const Status first =
        CallScript(redis, kIsFirst, attempt.key, {attempt.token}, 1, StatusCode::kNotAcquired);
    if (first.ok()) attempt.valid_until = ValidFrom(now, attempt.lease);
    if (first.code() != StatusCode::kNotAcquired) return first;
    if (now >= attempt.deadline.value_or(MonotonicTime{})) break;
    redis.Sleep(std::min<Duration>(*attempt.deadline - now, std::chrono::milliseconds(20)));
  }
  const std::string place = PlaceKey(attempt.key, attempt.token);
  if (Result<Reply> left = redis.Call({"DEL", place}); !left.ok()) return left.status();
  return Status(StatusCode::kNotAcquired, "not its turn");
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const std::string queue = QueueKey(attempt.key);
  const std::string place = PlaceKey(attempt.key, attempt.token);
  if (Result<Reply> left = redis.Call({"LREM", queue, "0", attempt.token}); !left.ok()) {
    return left.status();
  }
  return ExpectInteger(redis.Call({"DEL", place}), 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen LeaseNotLookedAt() {
  return {MakeLock({.name = "broken/lease-not-looked-at",
                    .summary = "waits for its turn, and does not see that its lease has run out",
                    .lock = Lock,
                    .unlock = Unlock,
                    .owners = [](const harness::ServerView&, const harness::LockOptions&)
                        -> std::optional<std::vector<harness::Owner>> { return std::nullopt; },
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          const std::string key = KeyOf(options);
                          return std::vector<harness::AuxiliaryKey>{
                              {QueueKey(key), 8 * options.lease},
                              {PlaceKey(key, "*"), options.lease}};
                        }}),
          {{"section-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
