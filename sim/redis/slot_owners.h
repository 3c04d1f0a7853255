// SPDX-License-Identifier: MIT
//
// Which node serves each of the 16384 slots of a Redis Cluster, kept as runs of neighbours with one
// node: every change is told to every node, and a cluster has few runs.
//
// Internal to sim. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace interlock::sim::redis {

inline constexpr std::size_t kSlots = 16384;
inline constexpr std::int16_t kNoNode = -1;

class SlotOwners {
 public:
  struct Run {
    std::size_t first = 0;
    std::size_t last = kSlots - 1;  ///< included
    std::int16_t node = kNoNode;    ///< kNoNode: unassigned
  };

  /// REQUIRES: slot < kSlots; in all that follows, too.
  std::int16_t operator[](std::size_t slot) const;
  /// In order, without gaps; neighbours differ in their node.
  const std::vector<Run>& runs() const { return runs_; }

  void Set(std::size_t slot, std::int16_t node) { SetRange(slot, slot, node); }
  /// REQUIRES: first <= last.
  void SetRange(std::size_t first, std::size_t last, std::int16_t node);
  /// What is `from`'s becomes `to`'s.
  void Replace(std::int16_t from, std::int16_t to);

 private:
  static void Add(const Run& run, std::vector<Run>& runs);

  std::vector<Run> runs_ = {Run{}};
};

}  // namespace interlock::sim::redis
