// SPDX-License-Identifier: MIT
//
// Writers first: a writer that waits puts its name into a set, and no new reader is let in while
// there is one. The preference that every textbook asks for, without a lease. A mistake of our own
// invention.
//
// What goes wrong: the writer dies while it waits. Nobody takes its name out, every other writer
// renews the set's TTL, and readers stand before an empty room. The fix is a deadline for each
// name, which its owner has to renew. A writer that gives up takes its name out here, as it should.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr int kLifeInLeases = 20;

Status Enter(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "if redis.call('exists', KEYS[1], KEYS[1] .. ':writers') > 0 then return 0 end "
      "redis.call('zremrangebyscore', readers, '-inf', ms(now - 1)) "
      "redis.call('zadd', readers, ms(now + ARGV[2]), ARGV[1]) "
      "return redis.call('pexpire', readers, ARGV[2])";
  constexpr std::string_view kWriter =
      "local writers = KEYS[1] .. ':writers' "
      "redis.call('srem', writers, ARGV[3]) "
      "if redis.call('zcount', readers, ms(now), '+inf') == 0 and "
      "  redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "
      "if ARGV[4] == '1' then redis.call('sadd', writers, ARGV[3]) "
      "  redis.call('pexpire', writers, ARGV[5]) end "
      "return 0";
  const bool waits = attempt.deadline.has_value() && redis.runtime().Now() < *attempt.deadline;
  if (attempt.shared) {
    return CallReaders(redis, kReader, attempt, {attempt.token, Ms(attempt.lease)},
                       StatusCode::kNotAcquired);
  }
  return CallReaders(redis, kWriter, attempt,
                     {attempt.token, Ms(attempt.lease), attempt.client, waits ? "1" : "0",
                      Ms(kLifeInLeases * attempt.lease)},
                     StatusCode::kNotAcquired);
}

}  // namespace

Specimen DeadWriterFirst() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/dead-writer-first";
  recipe.summary = "readers wait for a writer that waits, though it is dead";
  recipe.traits.prefers_writers = true;
  recipe.lock = Enter;
  recipe.auxiliary = [](const harness::LockOptions& options) {
    return std::vector<harness::AuxiliaryKey>{
        {KeyOf(options) + ":writers", kLifeInLeases * options.lease}};
  };
  return {MakeLock(std::move(recipe)),
          {{"deadlock", "crash", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
