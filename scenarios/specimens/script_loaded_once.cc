// SPDX-License-Identifier: MIT
//
// A script that is loaded once: SCRIPT LOAD when the lock object is made, EVALSHA from then on,
// which is how the manual shows it. Clients of many languages have had an issue titled "NOSCRIPT
// No matching script" for it.
//
// What goes wrong: the server restarts, fails over, or somebody calls SCRIPT FLUSH, and the
// script is gone. Locks are still granted, because SET needs none; but no unlock works any more,
// each holder keeps everybody out for its whole TTL, and that does not end until the process is
// started again. The fix is to answer NOSCRIPT with EVAL, which runs the script and loads it
// again.
#include <string>
#include <string_view>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kUnlock =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
constexpr std::string_view kDigest =
    "2e47b373b4dbd63ee966d2eb9fe24ed6a138ad4e";  // SHA-1, as Redis names it

Status Load(RedisClient& redis, Attempt& /*attempt*/) {
  return redis.Call({"SCRIPT", "LOAD", kUnlock}).status();
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Result<Reply> deleted = redis.Call({"EVALSHA", kDigest, "1", attempt.key, attempt.token});
  if (deleted.ok() && deleted->type == Reply::Type::kError) {
    return Status(StatusCode::kUnavailable, deleted->text);
  }
  return ExpectInteger(deleted, 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen ScriptLoadedOnce() {
  return {MakeLock({.name = "broken/script-loaded-once",
                    .summary = "does not load its script again when the server has forgotten it",
                    .start = Load,
                    .unlock = Unlock}),
          {{"spurious-refusal", "recovery", SynchronyClass::kBounded}},
          {.clients = 1, .attempts = 3}};
}

}  // namespace interlock::scenarios::specimens
