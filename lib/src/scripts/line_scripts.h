// SPDX-License-Identifier: MIT
//
// A line of waiters in the server, for locks that are handed over: what their scripts have in
// common.
//
// A waiter stands in the sorted set `base:queue` under its ticket, and its grant has been written
// in advance: `base:wait:<token>`, a list of one element, whose TTL is how long the waiter is taken
// for alive. A hand-over renames that list to `base:turn:<token>`, on which the waiter sleeps: one
// command that finds out whether it is alive, leaves the grant and wakes it. Until the waiter pops
// the element it does not know of its grant, so the grant can be taken back: a waiter that has not
// fetched it within the grace is passed over. Popping it is what accepts it.
//
// A ticket is the fencing token of the grant to come. A client that gets in without having stood in
// line gets a later one than all that were given out, and gets in only if no live waiter stands
// there: so fencing tokens grow from grant to grant.
//
// A waiter keeps one token from its first command to its grant or its end, so everything that it
// sends may be sent again. Keys with a token in their name are made from a declared key and share
// its slot.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>

#include <interlock/result.h>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

/// What scripts of a line begin with. KEYS base, fence, queue; ARGV token, life of the fence.
///
/// next_in_line(): takes out of the line the first waiter that is alive, or that is the caller;
/// returns its token, its lease and its ticket, and has woken it unless it is the caller. Or nil.
inline constexpr char kLine[] = R"lua(
local base, fence_key, queue = KEYS[1], KEYS[2], KEYS[3]
local token = ARGV[1]

local function next_in_line()
  local first = redis.call('ZPOPMIN', queue)
  while first[1] do
    local to, lease = string.match(first[1], '^(%S+) (%d+)$')
    local wait, turn = base .. ':wait:' .. to, base .. ':turn:' .. to
    if to == token then
      redis.call('DEL', wait)
      return to, lease, first[2]
    end
    if not redis.pcall('RENAME', wait, turn).err then
      redis.call('PEXPIRE', turn, lease)
      return to, lease, first[2]
    end
    first = redis.call('ZPOPMIN', queue)
  end
end
)lua";

/// Continues kLine. KEYS ..., cancelled mark; ARGV ..., try or queue, lease, grace, longest sleep.
///
/// draw(rest): a new ticket; it is kept with the fence, before what stood there, or `rest`.
/// unfetched(owner, left): for how many ms its grant has lain there; nil: it was fetched.
/// stand(look_again, rest): puts the caller in line, under a new ticket if it does not stand there
/// yet, taken for alive for as long as it may sleep, and the grace.
inline constexpr char kAskInLine[] = R"lua(
local what, lease, grace = ARGV[3], ARGV[4], tonumber(ARGV[5])
local cancelled, fenced = unpack(redis.call('MGET', KEYS[4], fence_key))
if cancelled then return {-1} end
-- Of a grant that it does not know of, and somebody has taken from it: this one is another.
if string.sub(fenced or '', -#token - 1) == ' ' .. token then
  fenced = string.sub(fenced, 1, -#token - 2)
end
local t = redis.call('TIME')

local function draw(rest)
  local last, kept = string.match(fenced or '', '^(%d+)(.*)$')
  local ticket = string.format('%.0f', math.max((last or 0) + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', fence_key, ticket .. (rest or kept or ''), 'PX', ARGV[2])
  return ticket
end

local function unfetched(owner, left)
  local element = redis.call('LINDEX', base .. ':turn:' .. owner, 0)
  return element and string.match(element, ' (%d+)$') - left
end

local function stand(look_again, rest)
  local sleep = tonumber(ARGV[6])
  if look_again >= 0 then sleep = math.min(sleep, look_again) end
  local live = sleep + grace
  local member, wait = token .. ' ' .. lease, base .. ':wait:' .. token
  local ticket = redis.call('ZSCORE', queue, member)
  local lies = ticket and redis.call('PEXPIRE', wait, live) == 1
  if ticket then
    redis.call('PEXPIRE', fence_key, ARGV[2])
  else
    ticket = draw(rest)
    redis.call('ZADD', queue, ticket, member)
  end
  if not lies then
    -- One of an earlier place in a line that was lost is void.
    if redis.call('RPUSH', wait, ticket .. ' ' .. lease) > 1 then redis.call('LPOP', wait) end
    redis.call('PEXPIRE', wait, live)
  end
  if redis.call('PTTL', queue) < live then redis.call('PEXPIRE', queue, live) end
end
)lua";

struct LineRule {
  /// How long a waiter may take to fetch its grant, or to be heard of after it had to look again.
  Milliseconds grace{};
  Milliseconds look_again{};  ///< the longest that a waiter sleeps
};

class LineScripts : public LockScripts {
 public:
  LineScripts(ResourceKeys keys, Milliseconds lease, LineRule rule);

  /// A try: refused while there is no room, or live waiters stand in line.
  ScriptCall Acquire(const std::string& token) const override { return Ask("try", token); }
  /// The same, and if refused the token stands in line; one that does already keeps its place.
  ScriptCall Queue(const std::string& token) const { return Ask("queue", token); }

  /// A release with one argument more, which takes back a grant that was not fetched.
  ScriptCall ForceRelease(const std::string& token, std::uint64_t fencing_token) const override;

  /// The list on which the waiter with this token sleeps.
  std::string Turn(const std::string& token) const;

 protected:
  const LineRule& rule() const { return rule_; }
  ScriptWord queue() const { return {keys().base, ":queue"}; }

 private:
  virtual ScriptCall Ask(const std::string& what, const std::string& token) const = 0;

  const LineRule rule_;
};

/// The fencing token in the element that is a waiter's grant. kProtocolError: another form.
Result<std::uint64_t> ParseTurn(const std::string& element);

}  // namespace interlock::internal
