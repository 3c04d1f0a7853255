// SPDX-License-Identifier: MIT
//
// The client library sends the unlock again: Redisson (#4871) repeated an unlock whose reply had
// been lost, and then threw "attempt to unlock lock, not locked by current thread".
//
// What goes wrong: the first script deleted the key, and nobody learned of it. The second finds
// nothing to delete and answers "not owner". The caller is told that it has lost its lease in the
// middle of its work, which it had not, and rolls back, raises an alarm, or does the work again.
// The fix is to remember that the first answer is unknown: then "not there" means nothing. Lock and
// unlock are correct but for the repetition.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Status once = UnlockCorrectly(redis, attempt);
  const bool failed =
      !once.ok() && once.code() != StatusCode::kNotOwner && once.code() != StatusCode::kCancelled;
  return failed ? UnlockCorrectly(redis, attempt) : once;
}

}  // namespace

Specimen ResentUnlockDenies() {
  return {MakeLock({.name = "broken/resent-unlock-denies",
                    .summary = "repeats a lost unlock, and then denies that it was the owner",
                    .unlock = Unlock,
                    .socket_timeout = std::chrono::milliseconds(200)}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
