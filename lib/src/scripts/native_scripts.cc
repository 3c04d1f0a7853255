// SPDX-License-Identifier: MIT
#include "src/scripts/native_scripts.h"

#include <array>

namespace interlock::internal {
namespace {

constexpr std::array kSetIfFree = {NativeCommand{{"SET", "@0", "@1", "NX", "PX", "@2"}}};
constexpr std::array kSetIfMine = {NativeCommand{{"SET", "@0", "@1", "IFEQ", "@1", "PX", "@2"}}};
constexpr std::array kDeleteIfMine = {NativeCommand{{"DELIFEQ", "@0", "@1"}},
                                      NativeCommand{{"DELEX", "@0", "IFEQ", "@1"}}};

// KEYS owner; ARGV token, lease and lock-delay.
constexpr Script kNativeExtend = MakeScript("native-extend", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua");

// KEYS owner; ARGV token.
constexpr Script kNativeRelease = MakeScript("native-release", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
)lua");

// KEYS owner.
constexpr Script kNativeInspect = MakeScript("native-inspect", R"lua(
local owner = redis.call('GET', KEYS[1])
if not owner then return {-1} end
return {-1, owner, redis.call('PTTL', KEYS[1]), '0'}
)lua");

}  // namespace

NativeScripts::NativeScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                             Milliseconds lock_delay)
    : LockScripts(ResourceKeys(prefix, name), lease), lock_delay_(lock_delay) {}

ScriptCall NativeScripts::Acquire(const std::string& token) const {
  return {nullptr, {keys().base}, {token, Argument(lease() + lock_delay_)}, kSetIfFree};
}

ScriptCall NativeScripts::Extend(const std::string& token, Milliseconds /*lease*/) const {
  return {&kNativeExtend, {keys().base}, {token, Argument(lease() + lock_delay_)}, kSetIfMine};
}

ScriptCall NativeScripts::Release(const std::string& token, std::uint64_t /*fencing_token*/) const {
  return {&kNativeRelease, {keys().base}, {token}, kDeleteIfMine};
}

ScriptCall NativeScripts::Abandon(const std::string& token) const { return Release(token, 0); }

ScriptCall NativeScripts::Inspect() const { return {&kNativeInspect, {keys().base}, {}}; }

std::vector<const Script*> NativeScripts::All() {
  return {&kNativeExtend, &kNativeRelease, &kNativeInspect};
}

}  // namespace interlock::internal
