// SPDX-License-Identifier: MIT
//
// Latches as programs make them of a set and a list: the set of the parties that have counted down,
// and a list with one element, the bell, that rings for the waiters. The steps here are the correct
// ones; a specimen replaces the one that its story is about.
//
// Thread safety: objects belong to one client at a time; a recipe is immutable.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/plumbing.h"

namespace interlock::scenarios::specimens {

/// What a specimen's steps work on.
struct LatchCall {
  std::string key;    ///< `<key_prefix><resource>`
  std::string party;  ///< that counts down
  std::int64_t parties = 0;
  std::string life;                      ///< TTL of every key, in ms
  std::chrono::milliseconds patience{};  ///< after which a sleeper looks again
  MonotonicTime deadline{};              ///< a waiter's; kNever: it has none

  std::string bell() const { return key + ":bell"; }
};

using LatchStep = std::function<Status(RedisClient& redis, const LatchCall& call)>;

/// Counts and rings the bell in one step.
Status CountDownCorrectly(RedisClient& redis, const LatchCall& call);
/// Rings it after the lines of `script` (KEYS key; ARGV party, parties, life), unless they return.
Status CountBy(RedisClient& redis, const LatchCall& call, std::string_view script);

/// Whether all have counted.
using LatchLook = std::function<Result<bool>(RedisClient& redis, const LatchCall& call)>;
Result<bool> SetIsFull(RedisClient& redis, const LatchCall& call);
/// For a specimen with a number at `<key><ending>` in place of the set.
LatchLook CounterIsFull(std::string_view ending);

/// Looks, sleeps until the bell rings, looks again, and rings it for the next.
LatchStep AwaitBy(LatchLook look);

/// YIELDS until the bell rings, until the deadline, or for the patience. An array: it was this one
/// that heard it.
Result<Reply> HearBell(RedisClient& redis, const LatchCall& call);
Status RingBell(RedisClient& redis, const LatchCall& call);

struct LatchRecipe {
  std::string_view name;
  std::string_view summary;
  LatchStep count_down = CountDownCorrectly;
  LatchStep await = AwaitBy(SetIsFull);
};

std::shared_ptr<const harness::Subject> MakeLatch(LatchRecipe recipe);

}  // namespace interlock::scenarios::specimens
