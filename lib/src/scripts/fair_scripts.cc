// SPDX-License-Identifier: MIT
#include "src/scripts/fair_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// The owner's value is "<token> <fencing token>", and, if it was handed over, " <token of who
// did>": the trace of the release, for the sake of a resend. Where nobody took over, that stands
// with the fence.

// Continues kLine. What is free goes to the first in line.
constexpr char kHandOver[] = R"lua(
local function hand_over(trace)
  local to, lease, fence = next_in_line()
  if to then redis.call('SET', base, to .. ' ' .. fence .. trace, 'PX', lease) end
  return to, lease, fence
end
)lua";

// Compare, then let the next one have it, or nobody. What its owner has not fetched yet is taken
// back if somebody else gives it up. KEYS ...; ARGV ..., fencing token, if so something.
constexpr auto kFairReleaseSource = Joined(kLine, kHandOver, R"lua(
local value, mine = redis.call('GET', base) or '', token .. ' ' .. ARGV[3]
if value == mine or string.sub(value, 1, #mine + 1) == mine .. ' ' then
  if ARGV[4] then redis.call('DEL', base .. ':turn:' .. token) end
  local trace = ' ' .. token
  if not hand_over(trace) then
    redis.call('DEL', base)
    local last = string.match(redis.call('GET', fence_key) or '', '^%d+') or ARGV[3]
    redis.call('SET', fence_key, last .. trace, 'PX', ARGV[2])
  end
  return 1
end
if string.match(value, '^%S+ %d+ (%S+)$') == token then return 2 end
local last, trace = string.match(redis.call('GET', fence_key) or '', '^(%d+) ?(.*)$')
if trace == token then return 2 end
if last and tonumber(last) > tonumber(ARGV[3]) then return 3 end
return 0
)lua");
constexpr Script kFairRelease = MakeScript("fair-release", kFairReleaseSource.view());

// Prolongs, never shortens, never re-creates. KEYS owner, fence; ARGV token, lease, life of the
// fence.
constexpr Script kFairExtend = MakeScript("fair-extend", R"lua(
local value = redis.call('GET', KEYS[1]) or ''
if string.sub(value, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
)lua");

// Takes a token out of the line for good; what it owns goes to the next one.
// KEYS ..., cancelled mark; ARGV ..., life of the mark, lease.
constexpr auto kFairLeaveSource = Joined(kLine, kHandOver, R"lua(
local value = redis.call('GET', base)
local mine = value and string.sub(value, 1, #token + 1) == token .. ' '
redis.call('ZREM', queue, token .. ' ' .. ARGV[4])
redis.call('DEL', base .. ':wait:' .. token)
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
if mine then redis.call('DEL', base, base .. ':turn:' .. token) end
if mine or not value then hand_over('') end
return mine and 1 or 0
)lua");
constexpr Script kFairLeave = MakeScript("fair-leave", kFairLeaveSource.view());

// Answers as the acquire of a mutex does, with the time after which to look again. What is free
// goes to the first in line, who need not be the one that asks. Whoever owns it is granted it once
// more, as after a lost reply.
constexpr auto kFairAskSource = Joined(kLine, kHandOver, kAskInLine, R"lua(
local value = redis.call('GET', base)
local owner, fence
if value then owner, fence = string.match(value, '^(%S+) (%d+)') end
local left = value and redis.call('PTTL', base)
if owner == token then
  if left <= tonumber(lease) then redis.call('PEXPIRE', base, lease) end
  redis.call('DEL', base .. ':turn:' .. token)
  return {1, fence}
end

local waited = owner and unfetched(owner, left)
if not value or (waited and waited > grace) then
  local to, for_ms, granted = hand_over('')
  if not to then
    to, granted = token, draw()
    redis.call('SET', base, token .. ' ' .. granted, 'PX', lease)
  end
  if owner then redis.call('DEL', base .. ':turn:' .. owner) end
  if to == token then return {1, granted} end
  waited, left = 0, tonumber(for_ms)
end

local look_again = waited and math.min(left, grace - waited) or left
if what == 'queue' then stand(look_again) end
return {0, look_again}
)lua");
constexpr Script kFairAsk = MakeScript("fair-ask", kFairAskSource.view());

// KEYS owner, queue.
constexpr Script kFairInspect = MakeScript("fair-inspect", R"lua(
local waiters = redis.call('ZCARD', KEYS[2])
local owner, fence = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)')
if not owner then return {waiters} end
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence}
)lua");

}  // namespace

FairScripts::FairScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                         LineRule rule)
    : LineScripts(ResourceKeys(prefix, name), lease, rule) {}

ScriptCall FairScripts::Ask(const std::string& what, const std::string& token) const {
  return {&kFairAsk,
          {keys().base, keys().fence(), queue(), keys().Cancelled(token)},
          {token, Argument(kFenceTtl), what, Argument(lease()), Argument(rule().grace),
           Argument(rule().look_again)}};
}

ScriptCall FairScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {
      &kFairExtend, {keys().base, keys().fence()}, {token, Argument(lease), Argument(kFenceTtl)}};
}

ScriptCall FairScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kFairRelease,
          {keys().base, keys().fence(), queue()},
          {token, Argument(kFenceTtl), Number(fencing_token)}};
}

ScriptCall FairScripts::Abandon(const std::string& token) const {
  return {&kFairLeave,
          {keys().base, keys().fence(), queue(), keys().Cancelled(token)},
          {token, Argument(kFenceTtl), CancelledFor(), Argument(lease())}};
}

ScriptCall FairScripts::Inspect() const { return {&kFairInspect, {keys().base, queue()}, {}}; }

std::string FairScripts::Refusal() const {
  return resource() + " is held by somebody else, or others stand in line for it";
}

std::vector<const Script*> FairScripts::All() {
  return {&kFairAsk, &kFairRelease, &kFairLeave, &kFairExtend, &kFairInspect};
}

}  // namespace interlock::internal
