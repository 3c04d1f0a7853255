// SPDX-License-Identifier: MIT
//
// A fencing token of random bytes: the unique value that every Redlock client already has, offered
// as a fence. It is the first objection in Kleppmann's article of 2016.
//
// What goes wrong: a fence must tell the later grant from the earlier one, so that the storage can
// refuse who comes too late. Random values have no order: half of all rightful holders look older
// than their predecessors, and are refused or, worse, the stale one is let in. The fix is a number
// that the server counts up with every grant. Lock and unlock of this page are correct.
#include <string>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.fencing_token = std::stoull(attempt.token.substr(0, 15), nullptr, 16);
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen RandomFence() {
  return {MakeLock({.name = "broken/random-fence",
                    .summary = "fences with random numbers, which have no order",
                    .traits = {.fencing = true},
                    .lock = Lock}),
          {{"tokens", "contention", SynchronyClass::kNone},
           {"fenced-writes", "guarded", SynchronyClass::kArbitrary}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
