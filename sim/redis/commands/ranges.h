// SPDX-License-Identifier: MIT
//
// Index ranges as LRANGE and ZRANGE read them: negative numbers count from the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace interlock::sim::redis {

struct IndexRange {
  std::size_t first = 0;
  std::size_t last = 0;  // Exclusive.
};

inline IndexRange ClampRange(std::int64_t start, std::int64_t stop, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  if (start < 0) start = std::max<std::int64_t>(start + count, 0);
  if (stop < 0) stop += count;
  stop = std::min(stop, count - 1);
  if (start > stop || start >= count) return {};
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(stop) + 1};
}

}  // namespace interlock::sim::redis
