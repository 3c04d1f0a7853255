// SPDX-License-Identifier: MIT
//
// "Too late, so we have not got it": symfony/lock looked at the clock after the reply to its
// acquire, found that too much of the lease was gone, threw, and left the key where it was (2019).
//
// What goes wrong: the acquire has taken effect. The caller is told that it holds nothing, so it
// releases nothing, and everybody else is locked out until the TTL. It takes a slow reply, or a
// pause before the reply is read. The fix is to delete the key, if it is still one's own, before
// saying no. This page finds a quarter of the lease too much; a lock may be as strict as it likes,
// if it cleans up.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  if (!locked.ok()) return locked;
  if (redis.runtime().Now() - attempt.asked > attempt.lease / 4) {
    return Status(StatusCode::kNotAcquired, "took too long");
  }
  return Status();
}

}  // namespace

Specimen LateGrantLeft() {
  return {MakeLock({.name = "broken/late-grant-left",
                    .summary = "refuses a grant that came late, and leaves its key behind",
                    .lock = Lock}),
          {{"keys", "pause", SynchronyClass::kBounded}},
          {.clients = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
