// SPDX-License-Identifier: MIT
//
// The token is forgotten before the server has answered: redis-py's locks clear their own token and
// then run the script that deletes the key (the asynchronous one until 2026).
//
// What goes wrong: the command is lost, or its caller is cancelled. The lock is still held, for the
// rest of its TTL; but the object no longer knows the token. Whoever does the right thing and
// releases once more is told "not owned", and believes that all is well. The fix is to forget the
// token only when the server has said that it is gone. Here the caller who does the right thing is
// built in.
#include <string>
#include <utility>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status UnlockOnce(RedisClient& redis, Attempt& attempt) {
  const std::string token = std::exchange(attempt.token, std::string());
  if (token.empty()) return Status(StatusCode::kNotOwner, "cannot release an unlocked lock");
  return CompareAndDelete(redis, attempt.key, token);
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Status unlocked = UnlockOnce(redis, attempt);
  const bool failed = !unlocked.ok() && unlocked.code() != StatusCode::kNotOwner &&
                      unlocked.code() != StatusCode::kCancelled;
  return failed ? UnlockOnce(redis, attempt) : unlocked;
}

}  // namespace

Specimen TokenClearedFirst() {
  return {MakeLock({.name = "broken/token-cleared-first",
                    .summary = "forgets its token before it knows that the release has arrived",
                    .unlock = Unlock}),
          {{"keys", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
