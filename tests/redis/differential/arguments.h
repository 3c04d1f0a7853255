// SPDX-License-Identifier: MIT
//
// Patterns of commands, and the arguments that they stand for: few keys and few values, so that
// they collide, and the numbers at which Redis draws lines.
//
// A pattern is words with blanks between them. A word %x stands for an argument of kind x, with a
// suffix for a number of them: ? none or one, + one to three, # the number of keys and then the
// keys. Any other word stands for itself.
//
//   kind  argument
//   k     any key; S L H T Z: mostly a key of strings, lists, hashes, sets, sorted sets
//   v     value, member or field      n  integer, mostly small    N  integer at a limit
//   y     relative seconds            m  relative milliseconds    Y, M  the same, absolute
//   f     score                       b  bound of scores          x  bound of members
//   e     expiry option of SET        w  other option of SET      o  option of EXPIRE
//   z     option of ZADD              s  side                     t  time-out of a blocked client
//   d     database                    p  pattern of names         c  channel
//   C     shard channel               @  client id                h  maxmemory, and other sizes
//   F     floating-point number       G  a short one              i  index, offset
//   q     MIN or MAX                  P  pattern of channels
//   B     offset of a bit             I  type of a bit field      W  pattern of SORT
#pragma once

#include <string_view>

#include "sim/redis/server.h"
#include "tests/redis/differential/dice.h"

namespace interlock::testing {

/// Relative times of the generator, in seconds: never over during a test, and told from other
/// numbers by their size, so that two readings of one TTL can be taken for equal.
inline constexpr std::int64_t kLeastTtl = 50000;
inline constexpr std::int64_t kMostTtl = 150000;
/// What absolute times begin at, in seconds: the year 2100, far from any clock that runs a test.
inline constexpr std::int64_t kFarAway = 4102444800;

sim::redis::Argv Expand(std::string_view pattern, Dice* dice);

/// What may take the place of any argument.
std::string OddArgument(Dice* dice);

}  // namespace interlock::testing
