// SPDX-License-Identifier: MIT
//
// The visited states of an exploration, as fingerprints. Thread safety: Enter may be called from
// several threads; the rest only while no Enter is running.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/fingerprint.h"

namespace interlock::scenarios {

class Visited {
 public:
  /// The work left in a state, as bits of tasks (see sleep_set.h).
  struct Entry {
    bool fresh = false;         ///< it is new; otherwise only `explore` is left
    std::uint64_t explore = 0;  ///< not asleep, and not yet continued from here
    std::uint64_t asleep = 0;   ///< on every path to this state
  };
  /// Enters the state by a path on which these are asleep.
  Entry Enter(const sim::Digest& state, std::uint64_t asleep);
  bool Contains(const sim::Digest& state) const;
  std::uint64_t size() const;
  struct State {
    sim::Digest digest;
    std::uint64_t asleep = 0;
  };
  std::vector<State> All() const;

 private:
  /// Open addressing, at most half full; an all-zero digest is replaced by another one.
  class Table {
   public:
    /// The state's entry, added if missing; valid until the next call.
    State& At(const sim::Digest& state, bool& fresh);
    bool Contains(const sim::Digest& state) const;
    std::size_t used() const { return used_; }
    const std::vector<State>& slots() const { return slots_; }

   private:
    /// Its slot, or where it would be. REQUIRES: slots_ is not empty.
    std::size_t PlaceOf(const sim::Digest& state) const;
    void Grow();
    std::vector<State> slots_;
    std::size_t used_ = 0;
  };
  struct Shard {
    mutable std::mutex mutex;
    Table table;
  };
  std::array<Shard, 64> shards_;
};

/// An upper bound on the probability that two of `states` states share a fingerprint.
double CollisionBound(std::uint64_t states);

}  // namespace interlock::scenarios
