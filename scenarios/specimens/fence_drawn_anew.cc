// SPDX-License-Identifier: MIT
//
// A fence that is drawn anew with every extension: the server counts it up, as it should, and the
// numbers grow from grant to grant. But whoever extends first gets a fresh number, "so that the
// storage sees that I am alive", and only then learns whether the lease could be extended.
//
// What goes wrong: a holder that was paused past its lease extends when it wakes. The extension is
// refused, rightly; its number is the highest of all by then. It has one more write to do, sends it
// with that number, and the storage takes it for the latest holder; the rightful one is refused
// from now on. The fix: a fencing token belongs to the grant, and is drawn in the step that grants,
// nowhere else. Lock and unlock of this page are correct, and so is what extend does to the lease.
// `interlock explore` cannot convict it: in the world that it explores, nothing is guarded.
#include <cstdint>
#include <string_view>

#include "scenarios/specimens/fence.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[3]) "
      "return fence";
  const Result<Reply> granted = redis.Call(
      {"EVAL", kScript, "1", attempt.key, attempt.token, Ms(attempt.lease), Ms(kFenceTtl)});
  if (!granted.ok()) return granted.status();
  attempt.fencing_token = static_cast<std::uint64_t>(granted->integer);
  return granted->integer > 0 ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

Status Extend(RedisClient& redis, Attempt& attempt) {
  if (Status drawn = DrawFence(redis, attempt); !drawn.ok()) return drawn;
  return ExtendCorrectly(redis, attempt);
}

}  // namespace

Specimen FenceDrawnAnew() {
  return {MakeLock({.name = "broken/fence-drawn-anew",
                    .summary = "draws a new fencing token with every extension, granted or not",
                    .traits = {.can_extend = true, .fencing = true},
                    .lock = Lock,
                    .extend = Extend,
                    .auxiliary = FenceKeys}),
          {{"fenced-writes", "kleppmann.k1f", SynchronyClass::kArbitrary}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
