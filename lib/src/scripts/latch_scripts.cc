// SPDX-License-Identifier: MIT
#include "src/scripts/latch_scripts.h"

namespace interlock::internal {
namespace {

// How many are missing is worked out of the two keys and kept in neither: whichever of them a
// server loses, nobody counts twice, and the latch is gone or opens late, but never early.

// Answers for how many it was closed.
// KEYS number, counted; ARGV count, life.
constexpr Script kLatchClose = MakeScript("latch-close", R"lua(
local number = redis.call('GET', KEYS[1])
if number then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  return {1, tonumber(number), 0}
end
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, tonumber(ARGV[1]), 1}
)lua");

// The ids that have counted down are remembered, so that a resend after a lost reply counts once.
// The last one opens the latch and wakes a waiter, which wakes the next when it looks.
// KEYS number, counted, open; ARGV id, life.
constexpr Script kLatchDown = MakeScript("latch-down", R"lua(
local number = tonumber(redis.call('GET', KEYS[1]))
if not number then return {0, 0, 0} end
local hints = redis.call('LLEN', KEYS[3])
local missing = number - redis.call('SCARD', KEYS[2])
local new = 0
if missing > 0 then new = redis.call('SADD', KEYS[2], ARGV[1]) end
if new == 1 and missing == 1 and hints == 0 then
  redis.call('RPUSH', KEYS[3], '1')
  redis.call('PEXPIRE', KEYS[3], ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {1, missing - new, new}
)lua");

// KEYS number, counted, open.
constexpr Script kLatchLook = MakeScript("latch-look", R"lua(
local number = tonumber(redis.call('GET', KEYS[1]))
if not number then return {0, 0, 0} end
local missing = number - redis.call('SCARD', KEYS[2])
if missing == 0 and redis.call('LLEN', KEYS[3]) == 0 then
  redis.call('RPUSH', KEYS[3], '1')
  redis.call('PEXPIRE', KEYS[3], math.max(redis.call('PTTL', KEYS[1]), 1))
end
return {1, missing, 0}
)lua");

// KEYS number, counted, open.
constexpr Script kLatchRemove = MakeScript("latch-remove", R"lua(
return {0, 0, redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) > 0 and 1 or 0}
)lua");

}  // namespace

LatchScripts::LatchScripts(const std::string& prefix, const std::string& name, Milliseconds life)
    : base_(prefix + "{" + name + "}"),
      counted_(base_ + ":counted"),
      open_(base_ + ":open"),
      life_(life) {}

ScriptCall LatchScripts::Close(int count) const {
  return {&kLatchClose, {base_, counted_}, {Argument(count), Argument(life_)}};
}

ScriptCall LatchScripts::CountDown(const std::string& id) const {
  return {&kLatchDown, {base_, counted_, open_}, {id, Argument(life_)}};
}

ScriptCall LatchScripts::Look() const { return {&kLatchLook, {base_, counted_, open_}, {}}; }

ScriptCall LatchScripts::Remove() const { return {&kLatchRemove, {base_, counted_, open_}, {}}; }

std::vector<const Script*> LatchScripts::All() {
  return {&kLatchClose, &kLatchDown, &kLatchLook, &kLatchRemove};
}

Result<LatchReply> ParseLatch(const Reply& reply) {
  bool whole = reply.IsArray() && reply.elements.size() == 3;
  for (std::size_t i = 0; whole && i < 3; ++i) whole = reply.elements[i].IsInteger();
  if (!whole || reply.elements[1].integer < 0) {
    return Status(StatusCode::kProtocolError, "the server answered for a latch in an unknown form");
  }
  return LatchReply{reply.elements[0].integer == 1, reply.elements[1].integer,
                    reply.elements[2].integer == 1};
}

}  // namespace interlock::internal
