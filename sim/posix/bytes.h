// SPDX-License-Identifier: MIT
//
// Moves the bytes of variables, and with them what a sanitizer puts between variables, which is
// nobody's to read. Internal to sim/posix.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "sim/posix/sanitizers.h"

namespace interlock::sim::posix {

/// The two must not overlap.
[[gnu::no_sanitize_address]] inline void CopyBytes(std::byte* to, const std::byte* from,
                                                   std::size_t size) {
  if constexpr (kWithAsan) {
    // Not by memcpy, which checks what it copies.
    for (std::size_t i = 0; i < size; ++i) {
      *const_cast<volatile std::byte*>(to + i) = *const_cast<const volatile std::byte*>(from + i);
    }
  } else {
    std::memcpy(to, from, size);
  }
}

/// The two must not overlap.
inline void ExchangeBytes(std::byte* one, std::byte* other, std::size_t size) {
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t at = 0; at < size; at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, size - at);
    std::array<std::byte, kAtOnce> piece;
    CopyBytes(piece.data(), one + at, count);
    CopyBytes(one + at, other + at, count);
    CopyBytes(other + at, piece.data(), count);
  }
}

}  // namespace interlock::sim::posix
