// SPDX-License-Identifier: MIT
#include "src/scripts/fair_scripts.h"

#include <charconv>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// One script for all that may end in a hand-over, since each of them must be able to do it.
//
// The first waiter in line that is still live becomes the owner with its own lease, and finds the
// grant in its list: "<fencing token> <server time in ms>". While it lies there the waiter does not
// know of it, so it can be taken back: a waiter that has not fetched it in the time of grace is
// passed over. Popping it is what accepts it.
//
// "queue" and "try" answer as the acquire of a mutex does, with the time after which to look again.
// The last release leaves its token with the fence until a later one, for the sake of a resend.
//
// KEYS owner, fence, queue, waiters, cancelled mark of the token; ARGV what, token, lease, life of
// the fence, grace, longest sleep, life of the mark or fencing token.
constexpr Script kFair = MakeScript("fair", R"lua(
local owner_key, fence_key, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local what, token, lease, grace = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[5])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local owner = redis.call('GET', owner_key)
local last, trace = string.match(redis.call('GET', fence_key) or '', '^(%d+)(.*)$')
redis.call('LLEN', queue)
redis.call('HLEN', waiters)

local function number(n) return string.format('%.0f', n) end
local function turn(of) return owner_key .. ':turn:' .. of end
local function outlive(key, life)
  if redis.call('PTTL', key) < life then redis.call('PEXPIRE', key, number(life)) end
end

local function grant(to, for_ms)
  last = number(math.max((tonumber(last) or 0) + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', owner_key, to, 'PX', for_ms)
  redis.call('SET', fence_key, last .. (trace or ''), 'PX', ARGV[4])
  owner = to
end

local function hand_over()
  owner = nil
  while not owner do
    local first = redis.call('LPOP', queue)
    if not first then return end
    local waiter = redis.call('HGET', waiters, first) or ''
    local live_until, for_ms = string.match(waiter, '^(%d+) (%d+)$')
    redis.call('HDEL', waiters, first)
    if live_until and tonumber(live_until) >= now then
      grant(first, for_ms)
      if first ~= token then
        redis.call('RPUSH', turn(first), last .. ' ' .. number(now))
        redis.call('PEXPIRE', turn(first), for_ms)
      end
    end
  end
end

local function unfetched_for()
  local element = owner and redis.call('LINDEX', turn(owner), 0)
  local since = element and string.match(element, ' (%d+)$')
  return since and now - tonumber(since)
end

if what == 'release' then
  if owner == token then
    redis.call('DEL', owner_key)
    last, trace = ARGV[7], ' ' .. token
    redis.call('SET', fence_key, last .. trace, 'PX', ARGV[4])
    hand_over()
    return 1
  end
  if trace == ' ' .. token then return 2 end
  if last and tonumber(last) > tonumber(ARGV[7]) then return 3 end
  return 0
end

if what == 'leave' then
  local mine = owner == token
  if mine then redis.call('DEL', owner_key, turn(token)) end
  redis.call('LREM', queue, 1, token)
  redis.call('HDEL', waiters, token)
  redis.call('SET', KEYS[5], '1', 'PX', ARGV[7])
  if mine or not owner then hand_over() end
  return mine and 1 or 0
end

if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
if owner == token then
  if redis.call('PTTL', owner_key) <= tonumber(lease) then
    redis.call('PEXPIRE', owner_key, lease)
  end
  redis.call('DEL', turn(token))
  return {1, last}
end
local waited = unfetched_for()
if waited and waited > grace then
  redis.call('DEL', owner_key, turn(owner))
  owner = nil
end
local stands = redis.call('LPOS', queue, token)
if not owner then
  if what == 'queue' and not stands then
    redis.call('RPUSH', queue, token)
    stands = true
  end
  if stands then redis.call('HSET', waiters, token, number(now) .. ' ' .. lease) end
  hand_over()
  if not owner then grant(token, lease) end
  if owner == token then return {1, last} end
  waited = 0
end
local look_again = redis.call('PTTL', owner_key)
if waited then look_again = math.min(look_again, grace - waited) end
if what == 'queue' then
  local sleep = look_again < 0 and tonumber(ARGV[6]) or math.min(look_again, tonumber(ARGV[6]))
  local live = sleep + grace
  if not stands then redis.call('RPUSH', queue, token) end
  redis.call('HSET', waiters, token, number(now + live) .. ' ' .. lease)
  outlive(queue, live)
  outlive(waiters, live)
end
return {0, look_again}
)lua");

}  // namespace

FairScripts::FairScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                         Milliseconds grace, Milliseconds look_again)
    : LockScripts(ResourceKeys(prefix, name), lease),
      mutex_(prefix, name, lease),
      grace_(grace),
      look_again_(look_again) {}

ScriptCall FairScripts::Call(const char* what, const std::string& token) const {
  const std::string& base = keys().base;
  return {&kFair,
          {base, keys().fence, base + ":queue", base + ":waiters", keys().Cancelled(token)},
          {what, token, Argument(lease()), Argument(kFenceTtl), Argument(grace_),
           Argument(look_again_)}};
}

ScriptCall FairScripts::Acquire(const std::string& token) const { return Call("try", token); }

ScriptCall FairScripts::Queue(const std::string& token) const { return Call("queue", token); }

ScriptCall FairScripts::Extend(const std::string& token, Milliseconds lease) const {
  return mutex_.Extend(token, lease);
}

ScriptCall FairScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  ScriptCall call = Call("release", token);
  call.arguments.push_back(std::to_string(fencing_token));
  return call;
}

ScriptCall FairScripts::Abandon(const std::string& token) const {
  ScriptCall call = Call("leave", token);
  call.arguments.push_back(CancelledFor());
  return call;
}

std::string FairScripts::Turn(const std::string& token) const {
  return keys().base + ":turn:" + token;
}

std::vector<const Script*> FairScripts::All() { return {&kFair}; }

Result<std::uint64_t> ParseTurn(const std::string& element) {
  std::uint64_t fence = 0;
  const char* end = element.data() + element.size();
  const auto [parsed_to, error] = std::from_chars(element.data(), end, fence);
  if (error == std::errc() && parsed_to != end && *parsed_to == ' ') return fence;
  return Status(StatusCode::kProtocolError, "a grant was handed over in an unknown form");
}

}  // namespace interlock::internal
