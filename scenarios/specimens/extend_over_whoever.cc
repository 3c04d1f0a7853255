// SPDX-License-Identifier: MIT
//
// Extend by `SET key token XX PX ms`: "store it if it is there", whoever holds it by then.
// ShedLock's LockExtender, and still its default.
//
// What goes wrong: a holder outlives its lease, another one acquires, the first one extends. XX
// only asks whether there is a key, so its value is overwritten: the late client owns the lock
// again, with a full lease, while the rightful one works on. The fix is to compare with one's own
// token and prolong in one script. Lock and unlock of this page are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> reply =
      redis.Call({"SET", attempt.key, attempt.token, "XX", "PX", Ms(attempt.lease)});
  if (!reply.ok()) return reply.status();
  if (!reply->IsStatus("OK")) return Status(StatusCode::kNotOwner, "nobody holds it");
  attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return Status();
}

}  // namespace

Specimen ExtendOverWhoever() {
  return {MakeLock({.name = "broken/extend-over-whoever",
                    .summary = "extends by SET XX, and so takes the lock from whoever holds it",
                    .traits = {.can_extend = true},
                    .extend = Extend}),
          {{"foreign-extend", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
