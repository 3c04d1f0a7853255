// SPDX-License-Identifier: MIT
//
// The number is drawn before the lock is taken: INCR for the fencing token, then SET NX, as in many
// a recipe that adds fencing to a lock that is already there.
//
// What goes wrong: the order of the numbers is the order in which clients asked, not in which they
// were granted. One draws 7 and waits; another draws 8, is quicker when the lock is freed, writes,
// unlocks; the first locks and writes with 7. The storage has seen 8 and refuses the rightful
// holder. No fault is needed. The fix is to count within the script that grants. Lock and unlock of
// this page are correct.
#include "scenarios/specimens/fence.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  if (attempt.fencing_token.has_value()) return LockCorrectly(redis, attempt);
  if (Status drawn = DrawFence(redis, attempt); !drawn.ok()) return drawn;
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen FenceBeforeLock() {
  return {MakeLock({.name = "broken/fence-before-lock",
                    .summary = "draws its fencing token first, and takes the lock afterwards",
                    .traits = {.fencing = true},
                    .lock = Lock,
                    .auxiliary = FenceKeys}),
          {{"tokens", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
