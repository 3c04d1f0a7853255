// SPDX-License-Identifier: MIT
//
// One renewal for all: a reader that extends its lease moves the deadlines of all readers, as
// Redisson's RReadWriteLock did until 2026 (bfbf73d0b).
//
// What goes wrong: a reader that has died, or whose time is over, is kept alive by those who have
// come after it, and a writer waits for a reader that nobody is. The fix is to renew one's own
// entry only.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/readers.h"

namespace interlock::scenarios::specimens {
namespace {

Status Extend(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return ExtendCorrectly(redis, attempt);
  constexpr std::string_view kReader =
      "local till = redis.call('zscore', readers, ARGV[1]) "
      "if not till or tonumber(till) < now then return 0 end "
      "for _, reader in ipairs(redis.call('zrange', readers, 0, -1)) do "
      "  redis.call('zadd', readers, ms(now + ARGV[2]), reader) end "
      "return redis.call('pexpire', readers, ARGV[2])";
  const Status extended = CallReaders(redis, kReader, attempt, {attempt.token, Ms(attempt.lease)},
                                      StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return extended;
}

}  // namespace

Specimen RenewsAllReaders() {
  Recipe recipe = ReadersRecipe();
  recipe.name = "broken/renews-all-readers";
  recipe.summary = "a reader that extends its lease extends those of all readers";
  recipe.traits.can_extend = true;
  recipe.extend = Extend;
  return {MakeLock(std::move(recipe)),
          {{"foreign-extend", "overstay", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
