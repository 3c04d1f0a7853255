// SPDX-License-Identifier: MIT
//
// "It has expired anyway": node-redlock (2015) did not send the unlock of a lock whose validity had
// ended by its own reckoning, and had the clean-up after a failed acquire commented out.
//
// What goes wrong: the validity is reckoned with an allowance for drift and for the way there, so
// the key lives longer than its owner's belief; with a slow clock on the server, much longer. The
// release says that all is over, and the key goes on. The fix is to send the release always:
// compare-and-delete harms nobody, whoever holds by then.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  if (redis.runtime().Now() >= attempt.valid_until) {
    return Status(StatusCode::kLeaseLost, "expired, nothing to do");
  }
  return CompareAndDelete(redis, attempt.key, attempt.token);
}

}  // namespace

Specimen SkipsLateUnlock() {
  return {MakeLock({.name = "broken/skips-late-unlock",
                    .summary = "sends no unlock when the lease is over by its own reckoning",
                    .unlock = Unlock}),
          {{"keys", "overstay", SynchronyClass::kNone}},
          {.clients = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
