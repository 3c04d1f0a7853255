// SPDX-License-Identifier: MIT
#include "src/scripts/mutex_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// An owner if there is none, and a fencing token that is larger than every earlier one, also when
// the counter was lost (then by the clock). An acquire that its sender gave up is refused for good.
// KEYS owner, fence, cancelled mark; ARGV token, lease and lock-delay, life of the fence.
constexpr Script kMutexAcquire = MakeScript("mutex-acquire", R"lua(
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
if redis.call('GET', KEYS[1]) then return {0, redis.call('PTTL', KEYS[1])} end
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
local t = redis.call('TIME')
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
return {1, fence}
)lua");

// Prolongs, never shortens: a delayed extend to a shorter lease may run after a later, longer one
// that its sender has already relied upon. Never re-creates: somebody else may have come and gone.
// KEYS owner, fence; ARGV token, lease and lock-delay, life of the fence.
constexpr Script kMutexExtend = MakeScript("mutex-extend", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
)lua");

// Compare, delete, wake one waiter: one hint is enough, since its taker hands on another. The
// release leaves its token with the fence, so that a resend after a lost reply is told the truth.
// The signal list is never deleted here: pushing and deleting in one script wakes nobody.
// KEYS owner, fence, signal; ARGV token, fencing token, life of a hint, life of the fence.
constexpr Script kMutexRelease = MakeScript("mutex-release", R"lua(
if redis.call('GET', KEYS[1]) == ARGV[1] then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if hints == 0 then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if token == ARGV[1] then return 2 end
if last and tonumber(last) > tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// Undoes an acquire whose reply was lost, and bars it from taking effect later. If that leaves the
// resource free, a hint is left too: the acquire may have been prompted by one that it used up.
// KEYS owner, signal, cancelled mark; ARGV token, life of a hint, life of the mark.
constexpr Script kMutexAbandon = MakeScript("mutex-abandon", R"lua(
local owner = redis.call('GET', KEYS[1])
local mine = owner == ARGV[1]
local hints = redis.call('LLEN', KEYS[2])
if mine then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if mine or not owner then
  if hints == 0 then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine and 1 or 0
)lua");

// Waiters leave no trace. KEYS owner, fence.
constexpr auto kMutexInspectSource = Joined("local waiters = -1", kInspectOwner);
constexpr Script kMutexInspect = MakeScript("mutex-inspect", kMutexInspectSource.view());

}  // namespace

MutexScripts::MutexScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                           Milliseconds lock_delay)
    : LockScripts(ResourceKeys(prefix, name), lease), lock_delay_(lock_delay) {}

ScriptCall MutexScripts::Acquire(const std::string& token) const {
  return {&kMutexAcquire,
          {keys().base, keys().fence(), keys().Cancelled(token)},
          {token, Argument(lease() + lock_delay_), Argument(kFenceTtl)}};
}

ScriptCall MutexScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kMutexExtend,
          {keys().base, keys().fence()},
          {token, Argument(lease + lock_delay_), Argument(kFenceTtl)}};
}

ScriptCall MutexScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kMutexRelease,
          {keys().base, keys().fence(), keys().signal()},
          {token, Number(fencing_token), Argument(lease()), Argument(kFenceTtl)}};
}

ScriptCall MutexScripts::Abandon(const std::string& token) const {
  return {&kMutexAbandon,
          {keys().base, keys().signal(), keys().Cancelled(token)},
          {token, Argument(lease()), CancelledFor()}};
}

ScriptCall MutexScripts::Inspect() const {
  return {&kMutexInspect, {keys().base, keys().fence()}, {}};
}

std::vector<const Script*> MutexScripts::All() {
  return {&kMutexAcquire, &kMutexExtend, &kMutexRelease, &kMutexAbandon, &kMutexInspect};
}

}  // namespace interlock::internal
