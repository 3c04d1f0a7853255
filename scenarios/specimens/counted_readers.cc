// SPDX-License-Identifier: MIT
//
// Readers in a counter: INCR on the way in, DECR on the way out, and a writer enters when it shows
// zero. What every textbook does in memory, and many have done in Redis.
//
// What goes wrong: a reader dies between the two, and the counter never shows zero again. A TTL on
// the counter does not help, since every later reader renews it. The fix is an entry with a lease
// for each reader. Entering and leaving are scripts here, and the writer is as it should be.
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
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
      "redis.call('incr', readers) return redis.call('pexpire', readers, ARGV[1])";
  constexpr std::string_view kWriter =
      "if tonumber(redis.call('get', readers) or 0) > 0 then return 0 end "
      "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
  if (attempt.shared) {
    attempt.token.clear();
    attempt.valid_until = kNever;
    return CallReaders(redis, kReader, attempt, {Ms(kLifeInLeases * attempt.lease)},
                       StatusCode::kNotAcquired);
  }
  return CallReaders(redis, kWriter, attempt, {attempt.token, Ms(attempt.lease)},
                     StatusCode::kNotAcquired);
}

Status Leave(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return UnlockCorrectly(redis, attempt);
  constexpr std::string_view kReader =
      "if redis.call('decr', readers) <= 0 then redis.call('del', readers) end return 1";
  return CallReaders(redis, kReader, attempt, {}, StatusCode::kProtocolError);
}

}  // namespace

Specimen CountedReaders() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/counted-readers";
  recipe.summary = "counts its readers, and waits for ever for those who died";
  recipe.lock = Enter;
  recipe.unlock = Leave;
  recipe.owners = [](const harness::ServerView&,
                     const harness::LockOptions&) -> std::optional<std::vector<harness::Owner>> {
    return std::nullopt;
  };
  recipe.auxiliary = [](const harness::LockOptions& options) {
    return std::vector<harness::AuxiliaryKey>{
        {KeyOf(options) + ":readers", kLifeInLeases * options.lease}};
  };
  return {MakeLock(std::move(recipe)),
          {{"crash-recovery", "crash", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
