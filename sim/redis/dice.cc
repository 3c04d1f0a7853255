// SPDX-License-Identifier: MIT
#include "sim/redis/dice.h"

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

// SplitMix64: every step gives another number, whatever the state.
std::uint64_t Dice::Choose(std::uint64_t bound) {
  engine_.keyspace.TouchAll();
  if (source_) return source_(bound) % bound;
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return (mixed ^ (mixed >> 31)) % bound;
}

}  // namespace interlock::sim::redis
