// SPDX-License-Identifier: MIT
//
// Whoever comes joins those who are inside: a writer that waits keeps readers from coming in first,
// but where there are readers already, one more seems to do no harm, so nobody looks for writers
// there. A mistake of our own invention, as it stands in many a readers/writer lock in memory.
//
// What goes wrong: readers overlap, so the room is never empty, and the writer that was to be
// preferred waits for as long as readers come. The fix is to look for waiting writers in both
// cases. A writer's name lives for a lease here and is renewed by each of its tries, as it should.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

Status Enter(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "if redis.call('exists', KEYS[1]) > 0 then return 0 end "
      "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
      "  redis.call('zcount', KEYS[1] .. ':writers', ms(now), '+inf') > 0 then return 0 end "
      "redis.call('zremrangebyscore', readers, '-inf', ms(now - 1)) "
      "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', readers, ARGV[2])";
  constexpr std::string_view kWriter =
      "local writers = KEYS[1] .. ':writers' "
      "redis.call('zrem', writers, ARGV[3]) "
      "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
      "  redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
      "if ARGV[4] == '1' then redis.call('zadd', writers, ms(now + ARGV[2]), ARGV[3]) "
      "  redis.call('pexpire', writers, ARGV[2]) end "
      "return 0";
  const bool waits = attempt.deadline.has_value() && redis.runtime().Now() < *attempt.deadline;
  if (attempt.shared) {
    return CallReaders(redis, kReader, attempt, {attempt.token, Ms(attempt.lease)},
                       StatusCode::kNotAcquired);
  }
  return CallReaders(redis, kWriter, attempt,
                     {attempt.token, Ms(attempt.lease), attempt.client, waits ? "1" : "0"},
                     StatusCode::kNotAcquired);
}

}  // namespace

Specimen ReadersJoin() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/readers-join";
  recipe.summary = "prefers writers that wait, except where readers are inside already";
  recipe.traits.prefers_writers = true;
  recipe.lock = Enter;
  recipe.auxiliary = [](const harness::LockOptions& options) {
    return std::vector<harness::AuxiliaryKey>{{KeyOf(options) + ":writers", options.lease}};
  };
  return {MakeLock(std::move(recipe)),
          {{"order", "crowd", SynchronyClass::kNone}},
          {.clients = 3, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
