// SPDX-License-Identifier: MIT
//
// The states that an exploration has been in, as fingerprints. Thread safety: Insert may be called
// from several threads; the rest only while none does.
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
  /// False: it was there.
  bool Insert(const sim::Digest& state);
  bool Contains(const sim::Digest& state) const;
  std::uint64_t size() const;
  std::vector<sim::Digest> All() const;

 private:
  /// Open addressing, at most half full; a digest that is all zero counts as another one.
  class Table {
   public:
    bool Insert(const sim::Digest& state);
    bool Contains(const sim::Digest& state) const;
    std::size_t used() const { return used_; }
    const std::vector<sim::Digest>& slots() const { return slots_; }

   private:
    /// Where it is, or would be. REQUIRES: slots_ is not empty.
    std::size_t PlaceOf(const sim::Digest& state) const;
    void Grow();
    std::vector<sim::Digest> slots_;
    std::size_t used_ = 0;
  };
  struct Shard {
    mutable std::mutex mutex;
    Table table;
  };
  std::array<Shard, 64> shards_;
};

/// An upper bound of the probability that two of so many states have one fingerprint.
double CollisionBound(std::uint64_t states);

}  // namespace interlock::scenarios
