// SPDX-License-Identifier: MIT
//
// Every Lua script that the library runs, each behind a function with typed arguments that also
// knows the shape of the reply. Two dialects of one protocol: a mutex (one owner, in a string) and
// permits (several owners, in a sorted set of deadlines). What a script does is said beside it in
// scripts.cc.
//
// Thread safety: pure functions over constants.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/result.h>

namespace interlock::internal {

using Milliseconds = std::chrono::milliseconds;

struct Script {
  std::string_view name;  ///< for messages
  std::string_view source;
  std::array<char, 40> sha1;

  std::string_view sha() const { return {sha1.data(), sha1.size()}; }
};

struct ScriptCall {
  const Script* script = nullptr;
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
};

enum class Dialect : std::uint8_t { kMutex, kPermits };

/// The keys of one resource. All share the hash tag {name}, hence one slot of a cluster.
struct ResourceKeys {
  ResourceKeys(Dialect dialect, const std::string& prefix, const std::string& name);
  std::string Cancelled(const std::string& token) const;

  std::string base;
  std::string owners;  ///< the owner (kMutex) or the permits that are out (kPermits)
  std::string fence;   ///< "<last token>", followed by " <owner token>" of the last release
  std::string signal;  ///< list of wake-up hints
  std::string limit;   ///< kPermits only: how many permits there are, while one is out
};

/// What all scripts of one lock have in common.
struct ScriptContext {
  Dialect dialect = Dialect::kMutex;
  ResourceKeys keys;
  Milliseconds lease{};  ///< the configured one; also the life of wake-up hints
  int permits = 1;
};

ScriptCall AcquireCall(const ScriptContext& context, const std::string& token);
ScriptCall ExtendCall(const ScriptContext& context, const std::string& token, Milliseconds lease);
ScriptCall ReleaseCall(const ScriptContext& context, const std::string& token,
                       std::uint64_t fencing_token);
ScriptCall AbandonCall(const ScriptContext& context, const std::string& token);

struct AcquireReply {
  enum class Kind : std::uint8_t { kGranted, kRefused, kCancelled, kOtherLimit };
  Kind kind = Kind::kRefused;
  std::uint64_t fencing_token = 0;  ///< kGranted
  Milliseconds owner_ttl{};  ///< kRefused: until the first owner's lease is over; negative: unknown
  std::int64_t limit = 0;    ///< kOtherLimit: the one in force
};

enum class ReleaseReply : std::uint8_t {
  kNotOwner,         ///< not held, and no trace that it was released: expired or lost
  kReleased,         ///< just now
  kReleasedEarlier,  ///< an earlier execution with this token released it
  kSuperseded,       ///< not held; others were granted since, which may have erased the trace
};

/// kProtocolError if the reply has another shape than the script can give.
Result<AcquireReply> ParseAcquire(const Reply& reply);
Result<ReleaseReply> ParseRelease(const Reply& reply);
/// For ExtendCall: still owned. For AbandonCall: the token did own, and was removed.
Result<bool> ParseFlag(const Reply& reply);

/// All scripts, for tests and for tools that load them in advance.
std::vector<const Script*> AllScripts();

}  // namespace interlock::internal
