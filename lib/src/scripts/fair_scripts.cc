// SPDX-License-Identifier: MIT
#include "src/scripts/fair_scripts.h"

#include <charconv>
#include <utility>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// The first waiter in line that is still live becomes the owner with its own lease, and finds the
// grant in its list: "<fencing token> <server time in ms>". While it lies there the waiter does not
// know of it, so it can be taken back: a waiter that has not fetched it in the time of grace is
// passed over. Popping it is what accepts it.
//
// The last release leaves its token with the fence until a later one, for the sake of a resend:
// that is the trace.
//
// What all of them begin with. KEYS owner, fence, queue, waiters; ARGV token, life of the fence.
constexpr char kBegin[] = R"lua(
local owner_key, fence_key, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token = ARGV[1]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function number(n) return string.format('%.0f', n) end
local function turn(of) return owner_key .. ':turn:' .. of end

local function fence_and_trace()
  local last, trace = string.match(redis.call('GET', fence_key) or '', '^(%d+)(.*)$')
  return tonumber(last) or 0, trace or ''
end

local function grant(to, for_ms, last, trace)
  local fence = number(math.max(last + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', owner_key, to, 'PX', for_ms)
  redis.call('SET', fence_key, fence .. trace, 'PX', ARGV[2])
  return fence
end

local function hand_over(last, trace)
  redis.call('HLEN', waiters)
  local first = redis.call('LPOP', queue)
  while first do
    local waiter = redis.call('HGET', waiters, first) or ''
    local live_until, for_ms = string.match(waiter, '^(%d+) (%d+)$')
    redis.call('HDEL', waiters, first)
    if live_until and tonumber(live_until) >= now then
      local fence = grant(first, for_ms, last, trace)
      if first ~= token then
        redis.call('RPUSH', turn(first), fence .. ' ' .. number(now))
        redis.call('PEXPIRE', turn(first), for_ms)
      end
      return first, fence
    end
    first = redis.call('LPOP', queue)
  end
end
)lua";

// Compare, then let the next one have it, or nobody. KEYS ...; ARGV ..., fencing token.
constexpr auto kReleaseSource = Joined(kBegin, R"lua(
if redis.call('GET', owner_key) == token then
  local trace = ' ' .. token
  if not hand_over(tonumber(ARGV[3]), trace) then
    redis.call('DEL', owner_key)
    redis.call('SET', fence_key, ARGV[3] .. trace, 'PX', ARGV[2])
  end
  return 1
end
local last, trace = fence_and_trace()
if trace == ' ' .. token then return 2 end
if last > tonumber(ARGV[3]) then return 3 end
return 0
)lua");
constexpr Script kFairRelease = MakeScript("fair-release", kReleaseSource.view());

// Takes a token out of the line for good; what it owns goes to the next one.
// KEYS ..., cancelled mark; ARGV ..., life of the mark.
constexpr auto kLeaveSource = Joined(kBegin, R"lua(
local owner = redis.call('GET', owner_key)
local mine = owner == token
redis.call('LREM', queue, 1, token)
redis.call('HDEL', waiters, token)
redis.call('SET', KEYS[5], '1', 'PX', ARGV[3])
if mine then redis.call('DEL', owner_key, turn(token)) end
if mine or not owner then hand_over(fence_and_trace()) end
return mine and 1 or 0
)lua");
constexpr Script kFairLeave = MakeScript("fair-leave", kLeaveSource.view());

// Answers as the acquire of a mutex does, with the time after which to look again. What is free
// goes to the first in line, who need not be the one that asks.
// KEYS ..., cancelled mark; ARGV ..., try or queue, lease, grace, longest sleep.
constexpr auto kAskSource = Joined(kBegin, R"lua(
local what, lease, grace = ARGV[3], ARGV[4], tonumber(ARGV[5])
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
local owner = redis.call('GET', owner_key)
if owner == token then
  if redis.call('PTTL', owner_key) <= tonumber(lease) then
    redis.call('PEXPIRE', owner_key, lease)
  end
  redis.call('DEL', turn(token))
  local last, trace = fence_and_trace()
  if last > 0 then return {1, number(last)} end
  return {1, grant(token, lease, last, trace)}
end

local waited, passed_over
if owner then
  local element = redis.call('LINDEX', turn(owner), 0)
  local since = element and string.match(element, ' (%d+)$')
  waited = since and now - tonumber(since)
  if waited and waited > grace then
    passed_over = owner
    owner = nil
  end
end

local stands
if owner or redis.call('LLEN', queue) > 0 then stands = redis.call('LPOS', queue, token) end
if not owner then
  if stands then redis.call('HSET', waiters, token, number(now) .. ' ' .. lease) end
  local last, trace = fence_and_trace()
  local fence
  owner, fence = hand_over(last, trace)
  if not owner then
    owner, fence = token, grant(token, lease, last, trace)
  end
  if passed_over then redis.call('DEL', turn(passed_over)) end
  if owner == token then return {1, fence} end
  waited = 0
end

local look_again = redis.call('PTTL', owner_key)
if waited then look_again = math.min(look_again, grace - waited) end
if what == 'queue' then
  local sleep = look_again < 0 and tonumber(ARGV[6]) or math.min(look_again, tonumber(ARGV[6]))
  local live = sleep + grace
  if not stands then redis.call('RPUSH', queue, token) end
  redis.call('HSET', waiters, token, number(now + live) .. ' ' .. lease)
  if redis.call('PTTL', queue) < live then redis.call('PEXPIRE', queue, number(live)) end
  if redis.call('PTTL', waiters) < live then redis.call('PEXPIRE', waiters, number(live)) end
end
return {0, look_again}
)lua");
constexpr Script kFairAsk = MakeScript("fair-ask", kAskSource.view());

// KEYS owner, fence, queue.
constexpr auto kInspectSource =
    Joined("local waiters = redis.call('LLEN', KEYS[3])", kInspectOwner);
constexpr Script kFairInspect = MakeScript("fair-inspect", kInspectSource.view());

}  // namespace

FairScripts::FairScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                         Milliseconds grace, Milliseconds look_again)
    : LockScripts(ResourceKeys(prefix, name), lease),
      mutex_(prefix, name, lease),
      grace_(grace),
      look_again_(look_again) {}

ScriptCall FairScripts::Call(const Script& script, const std::string& token,
                             std::vector<std::string> arguments) const {
  const std::string& base = keys().base;
  ScriptCall call{&script,
                  {base, keys().fence, base + ":queue", base + ":waiters"},
                  {token, Argument(kFenceTtl)}};
  for (std::string& argument : arguments) call.arguments.push_back(std::move(argument));
  return call;
}

ScriptCall FairScripts::Ask(const char* what, const std::string& token) const {
  ScriptCall call =
      Call(kFairAsk, token, {what, Argument(lease()), Argument(grace_), Argument(look_again_)});
  call.keys.push_back(keys().Cancelled(token));
  return call;
}

ScriptCall FairScripts::Acquire(const std::string& token) const { return Ask("try", token); }

ScriptCall FairScripts::Queue(const std::string& token) const { return Ask("queue", token); }

ScriptCall FairScripts::Extend(const std::string& token, Milliseconds lease) const {
  return mutex_.Extend(token, lease);
}

ScriptCall FairScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return Call(kFairRelease, token, {std::to_string(fencing_token)});
}

ScriptCall FairScripts::Abandon(const std::string& token) const {
  ScriptCall call = Call(kFairLeave, token, {CancelledFor()});
  call.keys.push_back(keys().Cancelled(token));
  return call;
}

ScriptCall FairScripts::Inspect() const {
  return {&kFairInspect, {keys().base, keys().fence, keys().base + ":queue"}, {}};
}

std::string FairScripts::Refusal() const {
  return resource() + " is held by somebody else, or others stand in line for it";
}

std::string FairScripts::Turn(const std::string& token) const {
  return keys().base + ":turn:" + token;
}

std::vector<const Script*> FairScripts::All() {
  return {&kFairAsk, &kFairRelease, &kFairLeave, &kFairInspect};
}

Result<std::uint64_t> ParseTurn(const std::string& element) {
  std::uint64_t fence = 0;
  const char* end = element.data() + element.size();
  const auto [parsed_to, error] = std::from_chars(element.data(), end, fence);
  if (error == std::errc() && parsed_to != end && *parsed_to == ' ') return fence;
  return Status(StatusCode::kProtocolError, "a grant was handed over in an unknown form");
}

}  // namespace interlock::internal
