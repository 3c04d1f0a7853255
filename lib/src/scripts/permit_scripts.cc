// SPDX-License-Identifier: MIT
#include "src/scripts/permit_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// As for a mutex, with a sorted set of owner tokens by deadline. A limit that is in force is never
// replaced: a client that wishes another one (0: whichever is in force) is told which it is. TTLs
// of the shared keys only grow. KEYS owners, fence, cancelled mark, limit; ARGV token, lease, life
// of the fence and of the limit, limit wished.
constexpr Script kPermitsAcquire = MakeScript("permits-acquire", R"lua(
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
local lease, wished = tonumber(ARGV[2]), tonumber(ARGV[4])
local limit = tonumber(redis.call('GET', KEYS[4]) or 0)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local out = redis.call('ZCARD', KEYS[1])
if limit == 0 then limit = wished end
if limit == 0 or (wished ~= 0 and wished ~= limit) then return {-2, limit} end
if out >= limit then
  local first = redis.call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')
  return {0, first[2] - now}
end
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
local life = math.max(redis.call('PTTL', KEYS[4]), lease, tonumber(ARGV[3]))
redis.call('SET', KEYS[4], limit, 'PX', life)
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
// KEYS owners, fence, signal, limit; ARGV token, fencing token, life of a hint, life of the fence.
constexpr Script kPermitsRelease = MakeScript("permits-release", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if score >= now then
  local hints = redis.call('LLEN', KEYS[3])
  local limit = tonumber(redis.call('GET', KEYS[4]) or 1)
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], (last or ARGV[2]) .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if hints < limit then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// KEYS owners, signal, cancelled mark, limit; ARGV token, life of a hint, life of the mark.
constexpr Script kPermitsAbandon = MakeScript("permits-abandon", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local hints = redis.call('LLEN', KEYS[2])
local limit = tonumber(redis.call('GET', KEYS[4]) or 1)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local mine = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if redis.call('ZCARD', KEYS[1]) < limit then
  if hints < limit then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine
)lua");

// Puts another limit in force and wakes as many waiters as it lets in. Those who are inside stay.
// KEYS limit, owners, signal; ARGV new limit, how long it stands, life of a hint.
constexpr Script kPermitsLimit = MakeScript("permits-limit", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now), '+inf')
local hints = redis.call('LLEN', KEYS[3])
redis.call('SET', KEYS[1], ARGV[1], 'PX', math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
for _ = hints + 1, math.min(ARGV[1] - out, 1000) do redis.call('LPUSH', KEYS[3], '1') end
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 1
)lua");

// For a waiter that took a hint and is not let in: its limit is another one, or its time is up.
// KEYS owners, signal, limit; ARGV life of a hint.
constexpr Script kPermitsHandOn = MakeScript("permits-hand-on", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[1], string.format('%.0f', now), '+inf')
local limit = tonumber(redis.call('GET', KEYS[3]) or 1)
if redis.call('LLEN', KEYS[2]) < limit - out then
  redis.call('LPUSH', KEYS[2], '1')
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
return 1
)lua");

// KEYS limit, owners. The limit in force, 0 if none is, and how many permits are out.
constexpr Script kPermitsCount = MakeScript("permits-count", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now), '+inf')
return {tonumber(redis.call('GET', KEYS[1]) or 0), out}
)lua");

constexpr Script kPermitsInspect = MakeScript("permits-inspect", kInspectOwners);

}  // namespace

PermitScripts::PermitScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                             int wished)
    : LockScripts(ResourceKeys(prefix, name), lease),
      limit_(keys().base + ":limit"),
      wished_(wished) {}

ScriptCall PermitScripts::Acquire(const std::string& token) const {
  return {&kPermitsAcquire,
          {keys().base, keys().fence(), keys().Cancelled(token), limit_},
          {token, Argument(lease()), Argument(kFenceTtl), Argument(wished_)}};
}

ScriptCall PermitScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kPermitsExtend,
          {keys().base, keys().fence(), limit_},
          {token, Argument(lease), Argument(kFenceTtl)}};
}

ScriptCall PermitScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kPermitsRelease,
          {keys().base, keys().fence(), keys().signal(), limit_},
          {token, Number(fencing_token), Argument(lease()), Argument(kFenceTtl)}};
}

ScriptCall PermitScripts::Abandon(const std::string& token) const {
  return {&kPermitsAbandon,
          {keys().base, keys().signal(), keys().Cancelled(token), limit_},
          {token, Argument(lease()), CancelledFor()}};
}

ScriptCall PermitScripts::SetLimit(int limit) const {
  return {&kPermitsLimit,
          {limit_, keys().base, keys().signal()},
          {Argument(limit), Argument(kFenceTtl), Argument(lease())}};
}

std::optional<ScriptCall> PermitScripts::HandOn() const {
  return ScriptCall{&kPermitsHandOn, {keys().base, keys().signal(), limit_}, {Argument(lease())}};
}

ScriptCall PermitScripts::Inspect() const { return InspectPermits(keys().base); }

ScriptCall InspectPermits(const ScriptWord& holders) { return {&kPermitsInspect, {holders}, {}}; }

ScriptCall PermitScripts::Count() const { return {&kPermitsCount, {limit_, keys().base}, {}}; }

std::string PermitScripts::Refusal() const {
  // Another limit than the wished one would have been answered with that.
  switch (wished_) {
    case 0:
      return "no permit of " + resource() + " is free";
    case 1:
      return "the one permit of " + resource() + " is out";
    default:
      return "all " + std::to_string(wished_) + " permits of " + resource() + " are out";
  }
}

Status PermitScripts::OtherLimit(std::int64_t limit) const {
  if (limit == 0) {
    return Status(StatusCode::kInvalidArgument,
                  resource() + " has no limit yet, and this client gives none");
  }
  return Status(StatusCode::kInvalidArgument, "limit is " + std::to_string(wished_) + ", but " +
                                                  resource() + " is in use with a limit of " +
                                                  std::to_string(limit));
}

Result<PermitCount> ParseCount(const Reply& reply) {
  const bool pair = reply.IsArray() && reply.elements.size() == 2;
  if (!pair || !reply.elements[0].IsInteger() || !reply.elements[1].IsInteger()) {
    return Status(StatusCode::kProtocolError,
                  "the server answered the count script in an unknown form");
  }
  return PermitCount{reply.elements[0].integer, reply.elements[1].integer};
}

std::vector<const Script*> PermitScripts::All() {
  return {&kPermitsAcquire, &kPermitsExtend, &kPermitsRelease, &kPermitsAbandon,
          &kPermitsLimit,   &kPermitsHandOn, &kPermitsCount,   &kPermitsInspect};
}

}  // namespace interlock::internal
