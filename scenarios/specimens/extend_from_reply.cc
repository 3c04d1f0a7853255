// SPDX-License-Identifier: MIT
//
// The extended lease is counted from the reply: redsync (until 2021) gave an extended lock its full
// time from the moment at which the call returned, and did not subtract what the call had taken.
// The acquire right beside it did.
//
// What goes wrong: as with an acquire that counts from the reply, but later, in the middle of work
// that has gone well so far: the holder believes in more than the server keeps, and the next one
// enters beside it. The fix: until = time of sending + lease - drift. Lock, unlock and script are
// correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  const Status extended = ExtendCorrectly(redis, attempt);
  if (extended.ok()) attempt.valid_until = ValidFrom(redis.runtime().Now(), attempt.lease);
  return extended;
}

}  // namespace

Specimen ExtendFromReply() {
  return {MakeLock({.name = "broken/extend-from-reply",
                    .summary = "counts an extended lease from the reply, not from the command",
                    .traits = {.can_extend = true},
                    .extend = Extend,
                    .retry_sleep = std::chrono::milliseconds(5)}),
          {{"belief-exclusion", "pause", SynchronyClass::kBounded}},
          {.clients = 2, .expiries = 1, .pauses = 2}};
}

}  // namespace interlock::scenarios::specimens
