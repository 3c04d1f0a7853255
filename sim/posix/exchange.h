// SPDX-License-Identifier: MIT
//
// Internal to sim/posix.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace interlock::sim::posix {

/// Exchanges so many bytes of two places that do not overlap, many at once.
inline void ExchangeBytes(std::byte* one, std::byte* other, std::size_t size) {
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t at = 0; at < size; at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, size - at);
    std::array<std::byte, kAtOnce> piece;
    std::memcpy(piece.data(), one + at, count);
    std::memcpy(one + at, other + at, count);
    std::memcpy(other + at, piece.data(), count);
  }
}

}  // namespace interlock::sim::posix
