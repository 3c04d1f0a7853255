// SPDX-License-Identifier: MIT
#include "src/scripts/permit_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// As for a mutex, with a sorted set of owner tokens by deadline. The limit is in force while a
// permit is out; when none is, the next client may bring another one. TTLs of the shared keys only
// grow. KEYS owners, fence, cancelled mark, limit; ARGV token, lease, life of the fence, permits.
constexpr Script kPermitsAcquire = MakeScript("permits-acquire", R"lua(
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
local limit = tonumber(redis.call('GET', KEYS[4]) or ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local out = redis.call('ZCARD', KEYS[1])
if out > 0 and limit ~= tonumber(ARGV[4]) then return {-2, limit} end
if out >= tonumber(ARGV[4]) then
  local first = redis.call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')
  return {0, first[2] - now}
end
local lease = tonumber(ARGV[2])
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
redis.call('SET', KEYS[4], ARGV[4], 'PX', math.max(redis.call('PTTL', KEYS[4]), lease))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, fence}
)lua");

// KEYS owners, fence, limit; ARGV token, lease, life of the fence.
constexpr Script kPermitsExtend = MakeScript("permits-extend", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
if score < now then return 0 end
local lease = tonumber(ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], string.format('%.0f', math.max(score, now + lease)), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if redis.call('PTTL', KEYS[3]) < lease then redis.call('PEXPIRE', KEYS[3], ARGV[2]) end
return 1
)lua");

// Hints are bounded by the number of permits: one per permit that can become free.
// KEYS owners, fence, signal; ARGV token, fencing token, life of a hint, life of the fence,
// permits.
constexpr Script kPermitsRelease = MakeScript("permits-release", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if score >= now then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], (last or ARGV[2]) .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if hints < tonumber(ARGV[5]) then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// KEYS owners, signal, cancelled mark; ARGV token, life of a hint, life of the mark, permits.
constexpr Script kPermitsAbandon = MakeScript("permits-abandon", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local hints = redis.call('LLEN', KEYS[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local mine = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[4]) then
  if hints < tonumber(ARGV[4]) then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine
)lua");

}  // namespace

PermitScripts::PermitScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                             int permits)
    : LockScripts(ResourceKeys(prefix, name), lease),
      holders_(keys().base + ":holders"),
      limit_(keys().base + ":limit"),
      permits_(permits) {}

ScriptCall PermitScripts::Acquire(const std::string& token) const {
  return {&kPermitsAcquire,
          {holders_, keys().fence, keys().Cancelled(token), limit_},
          {token, Argument(lease()), Argument(kFenceTtl), Argument(permits_)}};
}

ScriptCall PermitScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kPermitsExtend,
          {holders_, keys().fence, limit_},
          {token, Argument(lease), Argument(kFenceTtl)}};
}

ScriptCall PermitScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kPermitsRelease,
          {holders_, keys().fence, keys().signal},
          {token, std::to_string(fencing_token), Argument(lease()), Argument(kFenceTtl),
           Argument(permits_)}};
}

ScriptCall PermitScripts::Abandon(const std::string& token) const {
  return {&kPermitsAbandon,
          {holders_, keys().signal, keys().Cancelled(token)},
          {token, Argument(lease()), CancelledFor(), Argument(permits_)}};
}

Status PermitScripts::OtherLimit(std::int64_t limit) const {
  return Status(StatusCode::kInvalidArgument,
                "concurrency is " + std::to_string(permits_) + ", but " + resource() +
                    " is in use with a concurrency of " + std::to_string(limit));
}

std::vector<const Script*> PermitScripts::All() {
  return {&kPermitsAcquire, &kPermitsExtend, &kPermitsRelease, &kPermitsAbandon};
}

}  // namespace interlock::internal
