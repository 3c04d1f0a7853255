// SPDX-License-Identifier: MIT
#include "src/scripts/reentrant_scripts.h"

#include <utility>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// As for a mutex; the same owner gets one more hold, with the fencing token of its first, and the
// lease that all of them share is made whole again.
// KEYS owner, fence, cancelled mark; ARGV token, lease, life of the fence, owner.
constexpr Script kReentrantAcquire = MakeScript("reentrant-acquire", R"lua(
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[4] then return {0, redis.call('PTTL', KEYS[1])} end
local fence = redis.call('HGET', KEYS[1], 'fence')
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
if not owner then
  local t = redis.call('TIME')
  fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
end
redis.call('HSET', KEYS[1], 'owner', ARGV[4], 'fence', fence, 'hold:' .. ARGV[1], '1')
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, fence}
)lua");

// Prolongs the lease that all holds of the owner share. Never shortens, never re-creates.
// KEYS owner, fence; ARGV token, lease, life of the fence.
constexpr Script kReentrantExtend = MakeScript("reentrant-extend", R"lua(
if redis.call('HEXISTS', KEYS[1], 'hold:' .. ARGV[1]) == 0 then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
)lua");

// Gives back one hold, and the resource with the last of them, which wakes one waiter.
// KEYS owner, fence, signal; ARGV token, fencing token, life of a hint, life of the fence.
constexpr Script kReentrantRelease = MakeScript("reentrant-release", R"lua(
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if redis.call('HEXISTS', KEYS[1], 'hold:' .. ARGV[1]) == 1 then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('HDEL', KEYS[1], 'hold:' .. ARGV[1])
  redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if redis.call('HLEN', KEYS[1]) > 2 then return 1 end
  redis.call('DEL', KEYS[1])
  if hints == 0 then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// As for a mutex, for one hold.
// KEYS owner, signal, cancelled mark; ARGV token, life of a hint, life of the mark.
constexpr Script kReentrantAbandon = MakeScript("reentrant-abandon", R"lua(
local hints = redis.call('LLEN', KEYS[2])
local mine = redis.call('HDEL', KEYS[1], 'hold:' .. ARGV[1])
if redis.call('HLEN', KEYS[1]) <= 2 then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if redis.call('EXISTS', KEYS[1]) == 0 then
  if hints == 0 then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine
)lua");

// Each hold is a holder of its own. KEYS owner.
constexpr Script kReentrantInspect = MakeScript("reentrant-inspect", R"lua(
local fence = redis.call('HGET', KEYS[1], 'fence') or '0'
local ttl = redis.call('PTTL', KEYS[1])
local all = {-1}
local fields = redis.call('HKEYS', KEYS[1])
table.sort(fields)
for _, field in ipairs(fields) do
  local hold = string.match(field, '^hold:(.*)$')
  if hold then
    all[#all + 1] = hold
    all[#all + 1] = ttl
    all[#all + 1] = fence
  end
end
return all
)lua");

}  // namespace

ReentrantScripts::ReentrantScripts(const std::string& prefix, const std::string& name,
                                   Milliseconds lease, std::string owner)
    : LockScripts(ResourceKeys(prefix, name), lease), owner_(std::move(owner)) {}

ScriptCall ReentrantScripts::Acquire(const std::string& token) const {
  return {&kReentrantAcquire,
          {keys().base, keys().fence(), keys().Cancelled(token)},
          {token, Argument(lease()), Argument(kFenceTtl), owner_}};
}

ScriptCall ReentrantScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kReentrantExtend,
          {keys().base, keys().fence()},
          {token, Argument(lease), Argument(kFenceTtl)}};
}

ScriptCall ReentrantScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kReentrantRelease,
          {keys().base, keys().fence(), keys().signal()},
          {token, Number(fencing_token), Argument(lease()), Argument(kFenceTtl)}};
}

ScriptCall ReentrantScripts::Abandon(const std::string& token) const {
  return {&kReentrantAbandon,
          {keys().base, keys().signal(), keys().Cancelled(token)},
          {token, Argument(lease()), CancelledFor()}};
}

ScriptCall ReentrantScripts::Inspect() const { return {&kReentrantInspect, {keys().base}, {}}; }

std::vector<const Script*> ReentrantScripts::All() {
  return {&kReentrantAcquire, &kReentrantExtend, &kReentrantRelease, &kReentrantAbandon,
          &kReentrantInspect};
}

}  // namespace interlock::internal
