// SPDX-License-Identifier: MIT
//
// The lease is counted from the reply: "I have it now, for ten seconds." Nearly every library
// reckons so somewhere: Medallion, RedLock.net, rueidislock and redis-py's users among them.
//
// What goes wrong: the server began to count when it executed the command. What the reply took on
// its way, and what the client slept before it read it, is missing at the end: the key is gone,
// another one has it, and the first still believes. The fix is to count from the moment before the
// command was sent, which can only be too early. Lock, unlock and TTL of this page are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status locked = SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
  attempt.valid_until = ValidFrom(redis.runtime().Now(), attempt.lease);
  return locked;
}

}  // namespace

Specimen ValidityFromReply() {
  return {MakeLock({.name = "broken/validity-from-reply",
                    .summary = "counts its lease from the reply, not from the command",
                    .lock = Lock}),
          {{"belief-exclusion", "pause", SynchronyClass::kBounded}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
