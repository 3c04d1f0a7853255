// SPDX-License-Identifier: MIT
#include "src/scripts.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <interlock/options.h>

#include "src/sha1.h"

namespace interlock::internal {
namespace {

constexpr Script MakeScript(std::string_view name, std::string_view source) {
  return Script{name, source, Sha1Hex(source)};
}

// All scripts judge an owner by the server's clock, at whole milliseconds, as Redis judges its
// keys: a lease is over when now > deadline. Numbers of 16 digits are formatted with %.0f, because
// Lua's own conversion keeps 14. A key of a wrong type fails a script at its first write at the
// latest, so before it has changed anything. A server that is out of memory refuses a script at its
// first write only, and only if that needs memory: what prolongs an owner or gives one up therefore
// begins with a write that needs none.

// An owner if there is none, and a fencing token that is larger than every earlier one, also when
// the counter was lost (then by the clock). An acquire that its sender gave up is refused for good.
// KEYS owner, fence, cancelled mark; ARGV token, lease, life of the fence.
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
// KEYS owner, fence; ARGV token, lease, life of the fence.
constexpr Script kMutexExtend = MakeScript("mutex-extend", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
)lua");

// Compare, delete, wake one waiter: one hint is enough, since whoever takes it hands on another.
// The release leaves its token with the fence, so that a resend after a lost reply is told the
// truth. The signal list is never deleted here: pushing and deleting in one script wakes nobody.
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

std::string Text(std::int64_t value) { return std::to_string(value); }

std::string Text(Duration value) {
  return Text(std::chrono::duration_cast<Milliseconds>(value).count());
}

Status Malformed(std::string_view what) {
  return Status(StatusCode::kProtocolError,
                "the server answered the " + std::string(what) + " script in an unknown form");
}

std::optional<std::uint64_t> ParseNumber(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end) return std::nullopt;
  return value;
}

}  // namespace

ResourceKeys::ResourceKeys(Dialect dialect, const std::string& prefix, const std::string& name)
    : base(prefix + "{" + name + "}"),
      owners(dialect == Dialect::kMutex ? base : base + ":holders"),
      fence(base + ":fence"),
      signal(base + ":signal"),
      limit(base + ":limit") {}

std::string ResourceKeys::Cancelled(const std::string& token) const {
  return base + ":cancelled:" + token;
}

ScriptCall AcquireCall(const ScriptContext& context, const std::string& token) {
  const ResourceKeys& keys = context.keys;
  ScriptCall call{&kMutexAcquire,
                  {keys.owners, keys.fence, keys.Cancelled(token)},
                  {token, Text(context.lease), Text(kFenceTtl)}};
  if (context.dialect == Dialect::kPermits) {
    call.script = &kPermitsAcquire;
    call.keys.push_back(keys.limit);
    call.arguments.push_back(Text(context.permits));
  }
  return call;
}

ScriptCall ExtendCall(const ScriptContext& context, const std::string& token, Milliseconds lease) {
  const ResourceKeys& keys = context.keys;
  ScriptCall call{&kMutexExtend, {keys.owners, keys.fence}, {token, Text(lease), Text(kFenceTtl)}};
  if (context.dialect == Dialect::kPermits) {
    call.script = &kPermitsExtend;
    call.keys.push_back(keys.limit);
  }
  return call;
}

ScriptCall ReleaseCall(const ScriptContext& context, const std::string& token,
                       std::uint64_t fencing_token) {
  const ResourceKeys& keys = context.keys;
  ScriptCall call{&kMutexRelease,
                  {keys.owners, keys.fence, keys.signal},
                  {token, std::to_string(fencing_token), Text(context.lease), Text(kFenceTtl)}};
  if (context.dialect == Dialect::kPermits) {
    call.script = &kPermitsRelease;
    call.arguments.push_back(Text(context.permits));
  }
  return call;
}

ScriptCall AbandonCall(const ScriptContext& context, const std::string& token) {
  const ResourceKeys& keys = context.keys;
  const Duration mark = std::max<Duration>(context.lease, kCancelledTtl);
  ScriptCall call{&kMutexAbandon,
                  {keys.owners, keys.signal, keys.Cancelled(token)},
                  {token, Text(context.lease), Text(mark)}};
  if (context.dialect == Dialect::kPermits) {
    call.script = &kPermitsAbandon;
    call.arguments.push_back(Text(context.permits));
  }
  return call;
}

Result<AcquireReply> ParseAcquire(const Reply& reply) {
  if (!reply.IsArray() || reply.elements.empty() || !reply.elements[0].IsInteger()) {
    return Malformed("acquire");
  }
  const std::int64_t code = reply.elements[0].integer;
  AcquireReply parsed;
  if (code == -1 && reply.elements.size() == 1) {
    parsed.kind = AcquireReply::Kind::kCancelled;
    return parsed;
  }
  if (reply.elements.size() != 2) return Malformed("acquire");
  const Reply& detail = reply.elements[1];
  if (code == 1 && detail.IsString()) {
    const std::optional<std::uint64_t> fence = ParseNumber(detail.text);
    if (!fence) return Malformed("acquire");
    parsed.kind = AcquireReply::Kind::kGranted;
    parsed.fencing_token = *fence;
    return parsed;
  }
  if (!detail.IsInteger() || (code != 0 && code != -2)) return Malformed("acquire");
  if (code == 0) {
    parsed.owner_ttl = Milliseconds(detail.integer);
  } else {
    parsed.kind = AcquireReply::Kind::kOtherLimit;
    parsed.limit = detail.integer;
  }
  return parsed;
}

Result<ReleaseReply> ParseRelease(const Reply& reply) {
  if (!reply.IsInteger()) return Malformed("release");
  switch (reply.integer) {
    case 0:
      return ReleaseReply::kNotOwner;
    case 1:
      return ReleaseReply::kReleased;
    case 2:
      return ReleaseReply::kReleasedEarlier;
    case 3:
      return ReleaseReply::kSuperseded;
    default:
      return Malformed("release");
  }
}

Result<bool> ParseFlag(const Reply& reply) {
  if (!reply.IsInteger() || reply.integer < 0 || reply.integer > 1) {
    return Malformed("extend or clean-up");
  }
  return reply.integer == 1;
}

std::vector<const Script*> AllScripts() {
  return {&kMutexAcquire,   &kMutexExtend,   &kMutexRelease,   &kMutexAbandon,
          &kPermitsAcquire, &kPermitsExtend, &kPermitsRelease, &kPermitsAbandon};
}

}  // namespace interlock::internal
