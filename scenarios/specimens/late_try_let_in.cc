// SPDX-License-Identifier: MIT
//
// A clean-up that comes before what it is to clean up. A mistake of our own invention; the page of
// Redlock has it as well: releasing on every master undoes what has arrived, and nothing that is
// still on its way.
//
// What goes wrong: the acquire is held up in the network. Its client waits as long as it may,
// connects anew, deletes its key, if it is there, and says that it holds nothing, which is true.
// Then the acquire arrives, and nobody knows of it: everybody is locked out until the TTL. The fix
// is a clean-up that leaves a mark for its token, and an acquire that looks for one. The rest of
// this page is correct.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  if (locked.outcome() != Outcome::kUnknown) return locked;
  const Status undone = CompareAndDelete(redis, attempt.key, attempt.token);
  const bool reached = undone.ok() || undone.code() == StatusCode::kNotOwner;
  return reached ? Status(StatusCode::kUnavailable, locked.message()) : locked;
}

}  // namespace

Specimen LateTryLetIn() {
  return {
      MakeLock(
          {.name = "broken/late-try-let-in",
           .summary = "takes back a try that got no reply, and lets it in when it comes",
           .lock = Lock,
           .socket_timeout = std::chrono::milliseconds(200),
           .barred_for = [](const harness::LockOptions& options) { return 64 * options.lease; }}),
      {{"keys", "chaos", SynchronyClass::kBounded}, {"keys", "held-up", SynchronyClass::kBounded}},
      {.clients = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
