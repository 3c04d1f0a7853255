// SPDX-License-Identifier: MIT
//
// Locks whose keys do not stay together on a Redis Cluster.
#include <chrono>
#include <cstdint>
#include <string_view>

#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// Two keys without a hash tag: the lock, and a counter beside it whose name begins with the lock's.
// On one server that is a correct lock with correct fencing tokens.
//
// What goes wrong: on a Redis Cluster the two names hash to two slots, and the first script that
// names both is refused with CROSSSLOT, as is every one after it. The founding text of the queue
// semaphore has two such keys. Nobody notices before the move to a cluster, and then no client gets
// the lock any more. The fix is a tag that both have, `{name}` and `{name}:fence`: only what stands
// in the braces is hashed.
Specimen NoHashTag() {
  static constexpr std::chrono::milliseconds kFenceLife = std::chrono::hours(24);
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
        "local fence = redis.call('incr', KEYS[2]) "
        "redis.call('pexpire', KEYS[2], ARGV[3]) "
        "return fence";
    const Result<Reply> granted =
        redis.Call({"EVAL", kScript, "2", attempt.key, attempt.key + ":fence", attempt.token,
                    Ms(attempt.lease), Ms(kFenceLife)});
    if (!granted.ok()) return granted.status();
    if (granted->IsError()) return Status(StatusCode::kProtocolError, granted->text);
    attempt.fencing_token = static_cast<std::uint64_t>(granted->integer);
    return granted->integer > 0 ? Status() : Status(StatusCode::kNotAcquired, "taken");
  };
  return {MakeLock({.name = "broken/no-hash-tag",
                    .summary = "keeps two keys that a cluster puts on two nodes",
                    .traits = {.fencing = true, .cluster = true},
                    .lock = lock,
                    .auxiliary = {{.ending = ":fence", .ttl = kFenceLife}}}),
          {{"spurious-refusal", "cluster", SynchronyClass::kNone, "it is run on one server there"}},
          {.clients = 1},
          "the exhaustive search explores no cluster"};
}
}  // namespace

std::vector<Specimen> ScatteredSpecimens() { return {NoHashTag()}; }

}  // namespace interlock::scenarios::specimens
