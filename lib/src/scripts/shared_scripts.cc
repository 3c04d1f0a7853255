// SPDX-License-Identifier: MIT
//
// How waiters are woken. Hints for readers and for writers stand in lists of their own, so that
// neither side takes what was meant for the other:
//   - a writer's release leaves one hint for each side; a reader that was refused before and comes
//     in hands on one more, until all have been woken;
//   - the release of the reader that might have stayed longest leaves one for a writer, which
//     sleeps for as long as it was told that reader's lease lasts; a writer that took it, found
//     other readers and gives up leaves it for the next;
//   - a writer that waits until its deadline leaves none: readers sleep no longer than the last of
//     those that stand in the server does. One that is stopped before, and was that last one,
//     leaves one for them, unless a writer that owns the lock will.
// One hint in a list is enough: a taker that comes in passes on another, and one that gives up
// leaves it for the next.
#include "src/scripts/shared_scripts.h"

#include <interlock/options.h>

#include "src/scripts/permit_scripts.h"

namespace interlock::internal {
namespace {

// A reader, unless there is a writer, or one that waits and is preferred.
// KEYS writer, readers, waiting, fence, cancelled mark, hints for readers; ARGV token, lease, life
// of the fence, whether to hand on a hint.
constexpr Script kReaderAcquire = MakeScript("reader-acquire", R"lua(
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
if redis.call('GET', KEYS[1]) then return {0, redis.call('PTTL', KEYS[1])} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local waiting = redis.call('ZRANGE', KEYS[3], '-1', '-1', 'WITHSCORES')[2]
if waiting and tonumber(waiting) >= now then return {0, waiting - now} end
local last = tonumber(string.match(redis.call('GET', KEYS[4]) or '', '^%d+')) or 0
local hints = redis.call('LLEN', KEYS[6])
local lease = tonumber(ARGV[2])
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '0', string.format('%.0f', now - 1))
redis.call('SET', KEYS[4], fence, 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], string.format('%.0f', now + lease), ARGV[1])
if redis.call('PTTL', KEYS[2]) < lease then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
if ARGV[4] == '1' then
  if hints == 0 then redis.call('LPUSH', KEYS[6], '1') end
  redis.call('PEXPIRE', KEYS[6], ARGV[2])
end
return {1, fence}
)lua");

// KEYS readers, fence; ARGV token, lease, life of the fence.
constexpr Script kReaderExtend = MakeScript("reader-extend", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
if score < now then return 0 end
local lease = tonumber(ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], string.format('%.0f', math.max(score, now + lease)), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
)lua");

// Wakes a writer if none stays as long as this one might have. Other readers may have released
// since an earlier execution, so the trace that it left need not be there any more. KEYS readers,
// fence, hints for writers; ARGV token, fencing token, life of a hint, life of the fence.
constexpr Script kReaderRelease = MakeScript("reader-release", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if score >= now then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], (last or ARGV[2]) .. ' ' .. ARGV[1], 'PX', ARGV[4])
  local other = redis.call('ZRANGE', KEYS[1], '-1', '-1', 'WITHSCORES')[2]
  if not other or tonumber(other) < score then
    if hints == 0 then redis.call('LPUSH', KEYS[3], '1') end
    redis.call('PEXPIRE', KEYS[3], ARGV[3])
  end
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// KEYS writer, readers, cancelled mark, hints for writers, hints for readers; ARGV token, life of a
// hint, life of the mark.
constexpr Script kReaderAbandon = MakeScript("reader-abandon", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local writer = redis.call('GET', KEYS[1])
local writers, readers = redis.call('LLEN', KEYS[4]), redis.call('LLEN', KEYS[5])
local score = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or -1)
local mine = redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if writer then return mine end
if readers == 0 then redis.call('LPUSH', KEYS[5], '1') end
redis.call('PEXPIRE', KEYS[5], ARGV[2])
local other = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
if not other or tonumber(other) < math.max(now, score) then
  if writers == 0 then redis.call('LPUSH', KEYS[4], '1') end
  redis.call('PEXPIRE', KEYS[4], ARGV[2])
end
return mine
)lua");

// A writer, if there is no other and no reader. Who waits, and is preferred, stands in the server
// under the token of its last refused try: for a lease at most, and not past its own deadline. It
// is sent back early enough to stand there without a break. Who goes away, and would have stood for
// longer than all others, wakes the readers that it has kept out: they may sleep until then.
// KEYS writer, readers, waiting, fence, cancelled mark, hints for readers; ARGV token, lease, life
// of the fence, the token that stands for it, its patience.
constexpr Script kWriterAcquire = MakeScript("writer-acquire", R"lua(
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local last = tonumber(string.match(redis.call('GET', KEYS[4]) or '', '^%d+')) or 0
local reader = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
local lease, patience = tonumber(ARGV[2]), tonumber(ARGV[5])
local owner, hints = redis.call('GET', KEYS[1]), redis.call('LLEN', KEYS[6])
local stood = ARGV[4] ~= '' and redis.call('ZSCORE', KEYS[3], ARGV[4])
local ttl
if owner then
  ttl = redis.call('PTTL', KEYS[1])
elseif reader and tonumber(reader) >= now then
  ttl = reader - now
end
if ARGV[4] ~= '' then redis.call('ZREM', KEYS[3], ARGV[4]) end
if ttl then
  if patience > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '0', string.format('%.0f', now - 1))
    redis.call('ZADD', KEYS[3], string.format('%.0f', now + patience), ARGV[1])
    if redis.call('PTTL', KEYS[3]) < patience then redis.call('PEXPIRE', KEYS[3], ARGV[5]) end
    ttl = math.min(ttl, math.floor(lease * 3 / 4))
  elseif stood and tonumber(stood) > now and not (owner and now + ttl >= tonumber(stood)) then
    local other = redis.call('ZRANGE', KEYS[3], '-1', '-1', 'WITHSCORES')[2]
    if not other or tonumber(other) < tonumber(stood) then
      if hints == 0 then redis.call('LPUSH', KEYS[6], '1') end
      redis.call('PEXPIRE', KEYS[6], ARGV[2])
    end
  end
  return {0, ttl}
end
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[4], fence, 'PX', ARGV[3])
return {1, fence}
)lua");

// KEYS writer, fence, hints for writers, hints for readers; ARGV token, fencing token, life of a
// hint, life of the fence.
constexpr Script kWriterRelease = MakeScript("writer-release", R"lua(
if redis.call('GET', KEYS[1]) == ARGV[1] then
  local writers, readers = redis.call('LLEN', KEYS[3]), redis.call('LLEN', KEYS[4])
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if writers == 0 then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  if readers == 0 then redis.call('LPUSH', KEYS[4], '1') end
  redis.call('PEXPIRE', KEYS[4], ARGV[3])
  return 1
end
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if token == ARGV[1] then return 2 end
if last and tonumber(last) > tonumber(ARGV[2]) then return 3 end
return 0
)lua");

// Also takes away what stands for a wait that is over.
// KEYS writer, readers, waiting, cancelled mark, hints for writers, hints for readers; ARGV token,
// life of a hint, life of the mark.
constexpr Script kWriterAbandon = MakeScript("writer-abandon", R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local writer = redis.call('GET', KEYS[1])
local mine = writer == ARGV[1]
local reader = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
local writers, readers = redis.call('LLEN', KEYS[5]), redis.call('LLEN', KEYS[6])
redis.call('ZREM', KEYS[3], ARGV[1])
if mine then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
if writer and not mine then return 0 end
if readers == 0 then redis.call('LPUSH', KEYS[6], '1') end
redis.call('PEXPIRE', KEYS[6], ARGV[2])
if not reader or tonumber(reader) < now then
  if writers == 0 then redis.call('LPUSH', KEYS[5], '1') end
  redis.call('PEXPIRE', KEYS[5], ARGV[2])
end
return mine and 1 or 0
)lua");

// KEYS hints of a side; ARGV life of a hint.
constexpr Script kSharedHandOn = MakeScript("shared-hand-on", R"lua(
if redis.call('LLEN', KEYS[1]) == 0 then redis.call('LPUSH', KEYS[1], '1') end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
)lua");

// KEYS writer, fence, waiting.
constexpr char kCountWaiting[] = R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local waiters = redis.call('ZCOUNT', KEYS[3], string.format('%.0f', now), '+inf')
)lua";
constexpr auto kSharedInspectSource = Joined(kCountWaiting, kInspectOwner);
constexpr Script kWriterInspect = MakeScript("writer-inspect", kSharedInspectSource.view());

// KEYS writer, fence, waiting, readers.
constexpr auto kInspectBothSource =
    Joined("local function of_writer()", kCountWaiting, kInspectOwner,
           "end local function of_readers(KEYS)", kInspectOwners, R"lua(
end
local all = of_writer()
for i, value in ipairs(of_readers({KEYS[4]})) do
  if i > 1 then all[#all + 1] = value end
end
return all
)lua");
constexpr Script kSharedInspect = MakeScript("shared-inspect", kInspectBothSource.view());

/// The keys as one side has them: a waiter sleeps on its own list.
ResourceKeys Side(const std::string& prefix, const std::string& name, std::string_view signal) {
  ResourceKeys side(prefix, name);
  side.signal_ending = signal;
  return side;
}

}  // namespace

ScriptCall InspectBoth(const SharedKeys& keys) {
  return {&kSharedInspect, {keys.base, keys.fence(), keys.waiting(), keys.readers()}, {}};
}

ReaderScripts::ReaderScripts(const std::string& prefix, const std::string& name, Milliseconds lease)
    : LockScripts(Side(prefix, name, SharedKeys::kOfReaders), lease), shared_(prefix, name) {}

ScriptCall ReaderScripts::Acquire(const std::string& token) const {
  return AcquireWaiting(token, Turn{});
}

ScriptCall ReaderScripts::AcquireWaiting(const std::string& token, const Turn& turn) const {
  return {&kReaderAcquire,
          {shared_.base, shared_.readers(), shared_.waiting(), shared_.fence(),
           shared_.Cancelled(token), shared_.reader_signal()},
          {token, Argument(lease()), Argument(kFenceTtl), turn.again ? "1" : "0"}};
}

ScriptCall ReaderScripts::Extend(const std::string& token, Milliseconds lease) const {
  return {&kReaderExtend,
          {shared_.readers(), shared_.fence()},
          {token, Argument(lease), Argument(kFenceTtl)}};
}

ScriptCall ReaderScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kReaderRelease,
          {shared_.readers(), shared_.fence(), shared_.writer_signal()},
          {token, Number(fencing_token), Argument(lease()), Argument(kFenceTtl)}};
}

ScriptCall ReaderScripts::Abandon(const std::string& token) const {
  return {&kReaderAbandon,
          {shared_.base, shared_.readers(), shared_.Cancelled(token), shared_.writer_signal(),
           shared_.reader_signal()},
          {token, Argument(lease()), CancelledFor()}};
}

std::optional<ScriptCall> ReaderScripts::HandOn() const {
  return ScriptCall{&kSharedHandOn, {shared_.reader_signal()}, {Argument(lease())}};
}

ScriptCall ReaderScripts::Inspect() const { return InspectPermits(shared_.readers()); }

std::string ReaderScripts::Refusal() const {
  return resource() + " has a writer, or one that waits and goes first";
}

std::vector<const Script*> ReaderScripts::All() {
  return {&kReaderAcquire, &kReaderExtend, &kReaderRelease, &kReaderAbandon};
}

WriterScripts::WriterScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                             bool preferred)
    : LockScripts(Side(prefix, name, SharedKeys::kOfWriters), lease),
      shared_(prefix, name),
      as_mutex_(prefix, name, lease),
      preferred_(preferred) {}

ScriptCall WriterScripts::Acquire(const std::string& token) const {
  return AcquireWaiting(token, Turn{});
}

ScriptCall WriterScripts::AcquireWaiting(const std::string& token, const Turn& turn) const {
  return {&kWriterAcquire,
          {shared_.base, shared_.readers(), shared_.waiting(), shared_.fence(),
           shared_.Cancelled(token), shared_.reader_signal()},
          {token, Argument(lease()), Argument(kFenceTtl), turn.standing, Argument(turn.patience)}};
}

ScriptCall WriterScripts::Extend(const std::string& token, Milliseconds lease) const {
  return as_mutex_.Extend(token, lease);
}

ScriptCall WriterScripts::Release(const std::string& token, std::uint64_t fencing_token) const {
  return {&kWriterRelease,
          {shared_.base, shared_.fence(), shared_.writer_signal(), shared_.reader_signal()},
          {token, Number(fencing_token), Argument(lease()), Argument(kFenceTtl)}};
}

ScriptCall WriterScripts::Abandon(const std::string& token) const {
  return {&kWriterAbandon,
          {shared_.base, shared_.readers(), shared_.waiting(), shared_.Cancelled(token),
           shared_.writer_signal(), shared_.reader_signal()},
          {token, Argument(lease()), CancelledFor()}};
}

std::optional<ScriptCall> WriterScripts::HandOn() const {
  return ScriptCall{&kSharedHandOn, {shared_.writer_signal()}, {Argument(lease())}};
}

ScriptCall WriterScripts::Inspect() const {
  return {&kWriterInspect, {shared_.base, shared_.fence(), shared_.waiting()}, {}};
}

std::string WriterScripts::Refusal() const { return resource() + " has readers or another writer"; }

std::vector<const Script*> WriterScripts::All() {
  return {&kWriterAcquire, &kWriterRelease, &kWriterAbandon,
          &kSharedHandOn,  &kWriterInspect, &kSharedInspect};
}

}  // namespace interlock::internal
