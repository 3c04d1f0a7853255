// SPDX-License-Identifier: MIT
#include "src/scripts/single_file_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// The permits that are out stand in one value, ";<token> <fencing token> <end of its lease>" for
// each, which lives as long as the longest of them, and into the next millisecond if this is the
// last one of that lease: Valkey deletes at once what is SET to expire now. With the fence stands
// what else is to be known: "<last token> <concurrency in force> <1 if somebody may stand in
// line>", followed by " <owner token>" of the last release, for the sake of a resend. What is done
// to permits takes time in proportion to their number, which is therefore limited (options.h).

// Continues kLine. keep(holders, permits, now): writes them. hand_over(now): the first in line is
// granted a permit; answers that, and its token, its lease and its fencing token.
constexpr char kPermits[] = R"lua(
local function milliseconds(t) return t[1] * 1000 + math.floor(t[2] / 1000) end

local function each_permit(permits) return string.gmatch(permits, ';(%S+) (%d+) (%d+)') end

local function permit(of, fence, until_ms)
  return ';' .. of .. ' ' .. fence .. ' ' .. string.format('%.0f', until_ms)
end

local function keep(holders, permits, now)
  local longest = 0
  for until_ms in string.gmatch(permits, ';%S+ %d+ (%d+)') do
    longest = math.max(longest, until_ms)
  end
  if longest < now then return redis.call('DEL', holders) end
  redis.call('SET', holders, permits, 'PXAT', string.format('%.0f', math.max(longest, now + 1)))
end

local function hand_over(now)
  local to, lease, fence = next_in_line()
  if to then return permit(to, fence, now + lease), to, tonumber(lease), fence end
end
)lua";

// What its owner has not fetched yet is taken back if somebody else gives it up.
// KEYS ..., holders; ARGV ..., fencing token, concurrency, if so something.
constexpr auto kSingleFileReleaseSource = Joined(kLine, kPermits, R"lua(
local holders, permits = KEYS[4], redis.call('GET', KEYS[4]) or ''
local last, limit, line, trace = string.match(redis.call('GET', fence_key) or '',
                                              '^(%d+) (%d+) (%d) ?(.*)$')
local from, to = string.find(permits, ';' .. token .. ' ' .. ARGV[3] .. ' ', 1, true)
local until_ms = from and string.match(permits, '^%d+', to + 1)
local others = from and string.sub(permits, 1, from - 1) ..
                        string.sub(permits, to + #until_ms + 1)
local now = others and milliseconds(redis.call('TIME'))
if others and tonumber(until_ms) >= now then
  if ARGV[5] then redis.call('DEL', base .. ':turn:' .. token) end
  local granted
  if others == '' and line == '0' then
    redis.call('DEL', holders)
  elseif line ~= '0' then
    granted = hand_over(now)
  else
    -- Goes also where there is no memory left, and lets what follows go too.
    redis.call('PEXPIRE', fence_key, ARGV[2])
  end
  if others ~= '' or line ~= '0' then keep(holders, others .. (granted or ''), now) end
  redis.call('SET', fence_key, (last or ARGV[3]) .. ' ' .. (limit or ARGV[4]) ..
             (granted and ' 1 ' or ' 0 ') .. token, 'PX', ARGV[2])
  return 1
end
if trace == token then return 2 end
if last and tonumber(last) >= tonumber(ARGV[3]) then return 3 end
return 0
)lua");
constexpr Script kFileRelease = MakeScript("single-file-release", kSingleFileReleaseSource.view());

// Prolongs, never shortens, never re-creates. KEYS ..., holders; ARGV ..., lease.
constexpr auto kExtendSource = Joined(kLine, kPermits, R"lua(
local holders, now = KEYS[4], milliseconds(redis.call('TIME'))
local permits, extended = '', 0
for owner, fence, until_ms in each_permit(redis.call('GET', holders) or '') do
  if owner == token and tonumber(until_ms) >= now then
    until_ms, extended = math.max(until_ms, now + ARGV[3]), 1
  end
  permits = permits .. permit(owner, fence, until_ms)
end
if extended == 1 then
  redis.call('PEXPIRE', fence_key, ARGV[2])
  keep(holders, permits, now)
end
return extended
)lua");
constexpr Script kFileExtend = MakeScript("single-file-extend", kExtendSource.view());

// Takes a token out of the line for good; what that leaves free goes to the next ones.
// KEYS ..., holders, cancelled mark; ARGV ..., life of the mark, lease, concurrency.
constexpr auto kSingleFileLeaveSource = Joined(kLine, kPermits, R"lua(
local holders, now = KEYS[4], milliseconds(redis.call('TIME'))
local limit = tonumber(string.match(redis.call('GET', fence_key) or '', '^%d+ (%d+)') or ARGV[5])
local permits, out, mine = '', 0, 0
for owner, fence, until_ms in each_permit(redis.call('GET', holders) or '') do
  if owner == token then
    mine = 1
  elseif tonumber(until_ms) >= now then
    permits, out = permits .. permit(owner, fence, until_ms), out + 1
  end
end
redis.call('ZREM', queue, token .. ' ' .. ARGV[4])
redis.call('DEL', base .. ':wait:' .. token, base .. ':turn:' .. token)
redis.call('SET', KEYS[5], '1', 'PX', ARGV[3])
while out < limit do
  local granted = hand_over(now)
  if not granted then break end
  permits, out = permits .. granted, out + 1
end
keep(holders, permits, now)
return mine
)lua");
constexpr Script kFileLeave = MakeScript("single-file-leave", kSingleFileLeaveSource.view());

// A concurrency that is in force is never replaced: a client that wishes another one is told which
// it is. What is free goes to the first in line, who need not be the one that asks. Whoever has a
// permit is granted it once more, as after a lost reply.
// KEYS ..., cancelled mark, holders; ARGV ..., concurrency wished.
constexpr auto kSingleFileAskSource = Joined(kLine, kPermits, kAskInLine, R"lua(
local holders, now, wished = KEYS[5], milliseconds(t), tonumber(ARGV[7])
local limit, line, trace = string.match(fenced or '', '^%d+ (%d+) (%d)(.*)$')
limit, trace = tonumber(limit or wished), trace or ''

local out = redis.call('GET', holders)
-- As a rule there is nobody.
if line == '0' and not out then
  local fence = draw(' ' .. wished .. ' 0' .. trace)
  redis.call('SET', holders, permit(token, fence, now + lease), 'PXAT',
             string.format('%.0f', now + lease))
  return {1, fence}
end

local owners, turns, permits, left, mine = {}, {}, {}, {}
for owner, fence, until_ms in each_permit(out or '') do
  local remaining = until_ms - now
  if remaining >= 0 then
    if owner == token then mine, remaining = fence, math.max(remaining, lease) end
    local n = #permits + 1
    owners[n], turns[n], left[n] = owner, base .. ':turn:' .. owner, remaining
    permits[n] = permit(owner, fence, now + remaining)
  end
end
if mine then
  redis.call('DEL', base .. ':turn:' .. token)
  keep(holders, table.concat(permits), now)
  return {1, mine}
end
if #permits > 0 and wished ~= limit then return {-2, limit} end

local look_again, changed
if #permits >= limit and (limit == 1 or redis.call('EXISTS', unpack(turns)) > 0) then
  for i = #permits, 1, -1 do
    local waited = unfetched(owners[i], left[i])
    if waited and waited > grace then
      redis.call('DEL', turns[i])
      table.remove(permits, i)
      table.remove(left, i)
      changed = true
    elseif waited then
      left[i] = math.min(left[i], grace - waited)
    end
  end
end
for i = 1, #left do look_again = math.min(look_again or left[i], left[i]) end

while #permits < limit and line ~= '0' do
  local granted, to, for_ms, fence = hand_over(now)
  if granted then
    permits[#permits + 1] = granted
    changed = true
    look_again = math.min(look_again or grace, grace, for_ms)
  else
    line = '0'
  end
  if to == token then
    keep(holders, table.concat(permits), now)
    return {1, fence}
  end
end

if #permits == 0 then limit = wished end
if #permits < limit and wished == limit then
  local fence = draw(' ' .. limit .. ' 0' .. trace)
  permits[#permits + 1] = permit(token, fence, now + lease)
  keep(holders, table.concat(permits), now)
  return {1, fence}
end
if changed then keep(holders, table.concat(permits), now) end
if wished ~= limit then return {-2, limit} end
if what == 'queue' then stand(look_again, ' ' .. limit .. ' 1' .. trace) end
return {0, look_again}
)lua");
constexpr Script kFileAsk = MakeScript("single-file-ask", kSingleFileAskSource.view());

// KEYS holders, queue.
constexpr Script kFileInspect = MakeScript("single-file-inspect", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = {redis.call('ZCARD', KEYS[2])}
local permits = redis.call('GET', KEYS[1]) or ''
for owner, fence, until_ms in string.gmatch(permits, ';(%S+) (%d+) (%d+)') do
  if tonumber(until_ms) >= now then
    all[#all + 1] = owner
    all[#all + 1] = until_ms - now
    all[#all + 1] = fence
  end
end
return all
)lua");

}  // namespace

SingleFileScripts::SingleFileScripts(const std::string& prefix, const std::string& name,
                                     Milliseconds lease, LineRule rule, int concurrency)
    : LineScripts(ResourceKeys(prefix, name), lease, rule), concurrency_(concurrency) {}

ScriptCall SingleFileScripts::Ask(const std::string& what, const std::string& token) const {
  return {&kFileAsk,
          {keys().base, keys().fence(), queue(), keys().Cancelled(token), holders()},
          {token, Argument(kFenceTtl), what, Argument(lease()), Argument(rule().grace),
           Argument(rule().look_again), Argument(concurrency_)}};
}

ScriptCall SingleFileScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kFileExtend,
          {keys().base, keys().fence(), queue(), holders()},
          {token, Argument(kFenceTtl), Argument(lease)}};
}

ScriptCall SingleFileScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kFileRelease,
          {keys().base, keys().fence(), queue(), holders()},
          {token, Argument(kFenceTtl), Number(fencing_token), Argument(concurrency_)}};
}

ScriptCall SingleFileScripts::Abandon(const std::string& token) const {
  return {&kFileLeave,
          {keys().base, keys().fence(), queue(), holders(), keys().Cancelled(token)},
          {token, Argument(kFenceTtl), CancelledFor(), Argument(lease()), Argument(concurrency_)}};
}

ScriptCall SingleFileScripts::Inspect() const { return {&kFileInspect, {holders(), queue()}, {}}; }

std::string SingleFileScripts::Refusal() const {
  if (concurrency_ == 1) return "the one permit of " + resource() + " is out";
  return "all " + std::to_string(concurrency_) + " permits of " + resource() + " are out";
}

Status SingleFileScripts::OtherLimit(std::int64_t limit) const {
  return Status(StatusCode::kInvalidArgument,
                "concurrency is " + std::to_string(concurrency_) + ", but " + resource() +
                    " is in use with a concurrency of " + std::to_string(limit));
}

std::vector<const Script*> SingleFileScripts::All() {
  return {&kFileAsk, &kFileRelease, &kFileLeave, &kFileExtend, &kFileInspect};
}

}  // namespace interlock::internal
