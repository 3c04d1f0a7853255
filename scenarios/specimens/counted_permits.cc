// SPDX-License-Identifier: MIT
//
// Permits in a counter: Redisson's RSemaphore takes one by DECR and gives it back by INCR.
//
// What goes wrong: a number does not know who has what. The holder dies and its permit is gone for
// good; the counter can only be set by hand, and setting it while somebody is inside makes too
// many. The permits of the crashed never return. The fix is a lease for each permit, with an entry
// of its own. Taking and giving back are scripts here, and the counter is renewed as long as
// anybody asks for it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr int kLifeInLeases = 20;

Status Lock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "redis.call('set', KEYS[1], ARGV[1], 'NX') redis.call('pexpire', KEYS[1], ARGV[2]) "
      "if tonumber(redis.call('get', KEYS[1])) <= 0 then return 0 end "
      "redis.call('decr', KEYS[1]) return 1";
  attempt.token.clear();
  attempt.valid_until = kNever;
  return CallScript(redis, kScript, attempt.key,
                    {std::to_string(attempt.permits), Ms(kLifeInLeases * attempt.lease)}, 1,
                    StatusCode::kNotAcquired);
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "redis.call('incr', KEYS[1]) return redis.call('pexpire', KEYS[1], ARGV[1])";
  return CallScript(redis, kScript, attempt.key, {Ms(kLifeInLeases * attempt.lease)}, 1,
                    StatusCode::kProtocolError);
}

}  // namespace

Specimen CountedPermits() {
  return {MakeLock({.name = "broken/counted-permits",
                    .summary = "counts its permits, and never gets back those of the dead",
                    .traits = {.semaphore = true},
                    .lock = Lock,
                    .unlock = Unlock,
                    .owners = [](const harness::ServerView&, const harness::LockOptions&)
                        -> std::optional<std::vector<harness::Owner>> { return std::nullopt; },
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          return std::vector<harness::AuxiliaryKey>{
                              {KeyOf(options), kLifeInLeases * options.lease}};
                        }}),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
