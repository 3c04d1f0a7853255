// SPDX-License-Identifier: MIT
//
// Extend looks for its entry, and not at the end of its lease: "update the member if it exists"
// (`ZADD ... XX`), as semaphores on sorted sets are often renewed. Whoever enters sweeps out what
// has ended; until somebody does, an entry whose time is over stands there still.
//
// What goes wrong: the extension comes late, and brings a permit back that the server had promised
// to nobody for a while. Its holder had to stop when its lease ended; and whoever counted the live
// permits meanwhile has counted one too few. The fix is to compare the entry's score with the
// server's time in the same script. Entering and leaving are correct here.
#include <chrono>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/permit_set.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "local time = redis.call('time') "
      "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
      "if not redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end "
      "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
      "redis.call('pexpire', KEYS[1], ARGV[2]) "
      "return 1";
  const MonotonicTime asked = redis.runtime().Now();
  const Status extended = CallScript(redis, kScript, attempt.key,
                                     {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = ValidFrom(asked, attempt.lease);
  return extended;
}

}  // namespace

Specimen ExtendRevives() {
  return {MakeLock({.name = "broken/extend-revives",
                    .summary = "extends an entry that stands there still, though its time is over",
                    .traits = {.semaphore = true, .can_extend = true},
                    .lock = EnterPermitSet,
                    .unlock = LeavePermitSet,
                    .extend = Extend,
                    .socket_timeout = std::chrono::milliseconds(1000),
                    .owners = PermitSetOwners}),
          {{"foreign-extend", "held-up-permits", SynchronyClass::kBounded}},
          {.clients = 2, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
