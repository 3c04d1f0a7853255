// SPDX-License-Identifier: MIT
//
// A counter that forgets: the fencing token is counted by INCR inside the granting script, as it
// should be, and the counter gets the TTL of the lock, "so that nothing is left behind".
//
// What goes wrong: nobody asks for the lock for as long as a lease, the counter expires, and the
// next grant is number 1 again. A storage that has seen 7 refuses every holder from now on; or
// somebody resets the storage, and then the stale holder with 7 gets in. The same happens when the
// server that counts loses its data. The fix: the counter outlives every client that may still
// carry one of its numbers. Lock and unlock of this page are correct.
#include <cstdint>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[2]) "
      "return fence";
  const Result<Reply> granted =
      redis.Call({"EVAL", kScript, "1", attempt.key, attempt.token, Ms(attempt.lease)});
  if (!granted.ok()) return granted.status();
  attempt.fencing_token = static_cast<std::uint64_t>(granted->integer);
  return granted->integer > 0 ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

}  // namespace

Specimen FenceForgets() {
  return {MakeLock({.name = "broken/fence-forgets",
                    .summary = "counts its fencing tokens in a key that expires with the lock",
                    .traits = {.fencing = true},
                    .lock = Lock}),
          {{"tokens", "contention", SynchronyClass::kNone},
           {"tokens", "kleppmann.k9", SynchronyClass::kNone},
           {"fenced-writes", "guarded", SynchronyClass::kArbitrary}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
