// SPDX-License-Identifier: MIT
//
// RapidCheck generators of sequences for the comparison, and how a sequence shrinks: fewer steps,
// then shorter and plainer ones.
//
// What they never make: what would kill a real server (DEBUG SEGFAULT, an error table without a
// text), what needs real time to pass, and random or relative answers that cannot be compared.
#pragma once

#include <rapidcheck.h>

#include <span>
#include <vector>

#include "tests/redis/differential/case.h"

namespace interlock::testing {

/// How much of what: parts of a hundred of all that a connection does next.
struct Profile {
  const char* name;
  std::uint64_t data = 0;
  std::uint64_t plain = 0;        ///< PUBLISH, SELECT, FLUSHALL ...
  std::uint64_t transaction = 0;  ///< a whole one, or a word of one
  std::uint64_t watch = 0;        ///< WATCH, and a transaction
  std::uint64_t script = 0;
  std::uint64_t function = 0;
  std::uint64_t blocking = 0;
  std::uint64_t waking = 0;
  std::uint64_t pubsub = 0;
  std::uint64_t connection = 0;
  std::uint64_t setting = 0;
  std::uint64_t tracking = 0;  ///< of keys, and changes of them
  std::uint64_t reconnect = 0;
  bool events = false;  ///< keyspace notifications are on, and somebody listens
};

std::span<const Profile> Profiles();

/// Of RapidCheck's size (0 to 100) the number of steps depends.
rc::Gen<Case> AnyCase(const Profile& profile);

/// What every seed compares: each command that is generated at all as it is in a script, a
/// transaction and with too few or too many words.
std::vector<Case> EveryCommandInEveryWay(const rc::Random& random);

}  // namespace interlock::testing
