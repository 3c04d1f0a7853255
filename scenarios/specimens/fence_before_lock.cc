// SPDX-License-Identifier: MIT
//
// The number is drawn before the lock is taken: INCR for the fencing token, then SET NX, as in many
// a recipe that adds fencing to a lock that is already there.
//
// What goes wrong: the order of the numbers is the order in which clients asked, not in which they
// were granted. One draws 7 and waits; another draws 8, is quicker when the lock is freed, writes,
// unlocks; the first locks and writes with 7. The storage has seen 8 and refuses the rightful
// holder. No fault is needed. The fix is to count within the script that grants. Lock and unlock of
// this page are correct.
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr auto kFenceTtl = std::chrono::hours(24);

Status Lock(RedisClient& redis, Attempt& attempt) {
  if (attempt.fencing_token.has_value()) return LockCorrectly(redis, attempt);
  constexpr std::string_view kDraw =
      "local fence = redis.call('incr', KEYS[1] .. ':fence') "
      "redis.call('pexpire', KEYS[1] .. ':fence', ARGV[1]) "
      "return fence";
  const Result<Reply> drawn = redis.Call({"EVAL", kDraw, "1", attempt.key, Ms(kFenceTtl)});
  if (!drawn.ok()) return drawn.status();
  attempt.fencing_token = static_cast<std::uint64_t>(drawn->integer);
  return LockCorrectly(redis, attempt);
}

}  // namespace

Specimen FenceBeforeLock() {
  return {
      MakeLock(
          {.name = "broken/fence-before-lock",
           .summary = "draws its fencing token first, and takes the lock afterwards",
           .traits = {.fencing = true},
           .lock = Lock,
           .auxiliary =
               [](const harness::LockOptions& options) {
                 return std::vector<harness::AuxiliaryKey>{{KeyOf(options) + ":fence", kFenceTtl}};
               }}),
      {{"tokens", "contention", SynchronyClass::kNone}},
      {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
