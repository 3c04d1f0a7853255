// SPDX-License-Identifier: MIT
//
// The client library sends the acquire again: rueidislock (2025), whose scripts had become
// "retryable", and any lock on a client library that repeats what got no reply.
//
// What goes wrong: the first SET NX was executed and its reply was lost. The second one finds the
// key there, which is its own, and answers "taken". The caller is told no, so it releases nothing,
// and the key keeps everybody out until its TTL. The fix is an acquire that knows its own token
// when it meets it, or not to repeat what must not be repeated. Lock and unlock are correct but for
// the repetition.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status once = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  const bool failed = !once.ok() && once.code() != StatusCode::kNotAcquired &&
                      once.code() != StatusCode::kCancelled;
  return failed ? SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease) : once;
}

}  // namespace

Specimen ResendMeetsItself() {
  return {MakeLock({.name = "broken/resend-meets-itself",
                    .summary = "repeats a lost SET NX, and is refused by its own key",
                    .lock = Lock,
                    .socket_timeout = std::chrono::milliseconds(200)}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
