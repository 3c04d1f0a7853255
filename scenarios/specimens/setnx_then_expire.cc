// SPDX-License-Identifier: MIT
//
// SETNX, then EXPIRE: what one wrote before Redis 2.6.12 gave SET its options, and what many went
// on writing. SETNX decides correctly who holds the lock; the TTL comes as a second command.
//
// What goes wrong: whatever dies between the two (the process, the connection, the power) leaves a
// key without a TTL. Nobody holds the lock, and nobody can ever take it again. A client that
// survives a lost connection does not help: it reports "not acquired" and leaves the key behind,
// its own token in it. Seen in redis-py (2014), Laravel and Horizon (2020), redis-objects (2018),
// sidekiq-grouping, beaker. The fix is one command, `SET key token NX PX ms`. The unlock of this
// page is the correct one.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status stored =
      ExpectInteger(redis.Call({"SETNX", attempt.key, attempt.token}), 1, StatusCode::kNotAcquired);
  if (!stored.ok()) return stored;
  return redis.Call({"PEXPIRE", attempt.key, std::to_string(attempt.lease.count())}).status();
}

}  // namespace

Specimen SetnxThenExpire() {
  return {MakeLock({.name = "broken/setnx-then-expire",
                    .summary = "takes the key with SETNX and gives it its TTL afterwards",
                    .lock = Lock,

                    .folds_errors = true}),
          {{"keys", "crash", SynchronyClass::kNone},
           {"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1}};
}

}  // namespace interlock::scenarios::specimens
