// SPDX-License-Identifier: MIT
//
// Semaphores that keep their limit in the server, beside the set of their permits: whoever gives
// another one is told so, and only setting it changes it. Waiters sleep on a list, one element for
// each that can be let in. The steps here are the correct ones; a page replaces the few lines that
// its story is about.
//
// Thread safety: stateless; a recipe is immutable.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::specimens {

/// How long a limit is in force without any grant.
inline constexpr std::chrono::hours kLimitStands(7 * 24);

/// Parts of Lua scripts. They have `limit_key` and `bells`, the list, and `out`, the number of
/// permits that are out.
struct KeptLimit {
  std::string_view name;
  std::string_view summary;
  /// Of a grant: from `limit` (in force; 0: none) and `wished` (0: no matter) to the `limit` that
  /// counts; returns -1 to refuse.
  std::string_view settle =
      "if limit == 0 then limit = wished end "
      "if limit == 0 or (wished ~= 0 and wished ~= limit) then return -1 end ";
  /// ... which is made: keeps `limit` in force, for `stands` ms; `lease` is that of the permit.
  std::string_view keep = "redis.call('set', limit_key, limit, 'PX', stands) ";
  /// Puts `limit` in force and wakes those whom it lets in; `lease` is the life of what wakes them.
  std::string_view set =
      "redis.call('set', limit_key, limit, 'PX', stands) "
      "for _ = redis.call('llen', bells) + 1, limit - out do redis.call('rpush', bells, '1') end "
      "redis.call('pexpire', bells, lease) ";
};

std::shared_ptr<const harness::Subject> MakeKeptLimit(const KeptLimit& page);

}  // namespace interlock::scenarios::specimens
