// SPDX-License-Identifier: MIT
//
// Locks that take for unique, or for lasting, what is not.
#include <string_view>

#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// A script that is loaded once: SCRIPT LOAD when the lock object is made, EVALSHA from then on,
// which is how the manual shows it. Clients of many languages have had an issue titled "NOSCRIPT
// No matching script" for it.
//
// What goes wrong: the server restarts, fails over, or somebody calls SCRIPT FLUSH, and the
// script is gone. Locks are still granted, because SET needs none; but no unlock works any more,
// each holder keeps everybody out for its whole TTL, and that does not end until the process is
// started again. The fix is to answer NOSCRIPT with EVAL, which runs the script and loads it
// again.
Specimen ScriptLoadedOnce() {
  const auto load = [](RedisClient& redis, Attempt& /*attempt*/) {
    constexpr std::string_view kUnlock =
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
        "return 0";
    return redis.Call({"SCRIPT", "LOAD", kUnlock}).status();
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kDigest =
        "2e47b373b4dbd63ee966d2eb9fe24ed6a138ad4e";  // SHA-1, as Redis names it
    const Result<Reply> deleted = redis.Call({"EVALSHA", kDigest, "1", attempt.key, attempt.token});
    if (deleted.ok() && deleted->type == Reply::Type::kError) {
      return Status(StatusCode::kUnavailable, deleted->text);
    }
    return ExpectInteger(deleted, 1, StatusCode::kNotOwner);
  };
  return {MakeLock({.name = "broken/script-loaded-once",
                    .summary = "does not load its script again when the server has forgotten it",
                    .start = load,
                    .unlock = unlock}),
          {{"spurious-refusal", "recovery", SynchronyClass::kBounded}},
          {.clients = 1, .attempts = 3},
          "servers of the explored world forget no scripts"};
}

// The owner is the time: redis-mutex writes when its lock will end, and takes that for the proof of
// ownership; mlanett/redis-lock keeps its times in whole seconds.
//
// What goes wrong: two grants within one second carry the same value. The first holder's late
// release compares equal and deletes the lock of the second; whatever remembers the value of a lost
// grant now speaks for another one. A clock with a finer tick makes it rarer. The fix is a random
// token for each hold. Here the clock is the server's; lock and unlock are correct but for the
// value.
Specimen SecondsAsToken() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    const Result<Reply> time = redis.Call({"TIME"});
    if (!time.ok()) return time.status();
    if (time->elements.size() != 2) return Status(StatusCode::kProtocolError, "TIME");
    attempt.token = time->elements[0].text;
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/seconds-as-token",
                    .summary = "proves its ownership by the second in which it asked",
                    .lock = lock}),
          {{"tokens", "contention", SynchronyClass::kNone}},
          {.clients = 1}};
}

// One token for all holds of a lock object: it is made when the object is constructed, and every
// acquire through the object writes the same. Many libraries do; for a semaphore, one-id-per-object
// shows the worst of it.
//
// What goes wrong: the token no longer says which hold it belongs to. A release that was lost in
// the network, and arrives when the same object has acquired again, ends the new hold; a resent
// acquire meets its own earlier key and is refused. The fix is a token for each hold, never used
// again once an outcome was unknown. Lock and unlock of this specimen are correct.
Specimen TokenOfTheObject() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    attempt.token = attempt.client;
    return LockCorrectly(redis, attempt);
  };
  return {MakeLock({.name = "broken/token-of-the-object",
                    .summary = "uses one owner token for every hold of a lock object",
                    .lock = lock}),
          {{"tokens", "contention", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace

std::vector<Specimen> TokensSpecimens() {
  return {ScriptLoadedOnce(), SecondsAsToken(), TokenOfTheObject()};
}

}  // namespace interlock::scenarios::specimens
