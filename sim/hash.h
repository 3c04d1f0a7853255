// SPDX-License-Identifier: MIT
//
// The 64-bit trace hash, the same on every machine and in every build; `state` chains fields.
//
// A chain of rounds like those of xxHash64: two multiplications per eight bytes. Bytes are read as
// little-endian words, and a field's length is hashed too, so that no two pairs of fields with the
// same concatenation collide. Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace interlock::sim {

inline std::uint64_t HashNumber(std::uint64_t number, std::uint64_t state) {
  constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
  constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
  constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;
  state ^= number * kPrime2;
  return std::rotl(state, 31) * kPrime1 + kPrime3;
}

/// The first eight bytes as a number.
inline std::uint64_t WordAt(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// The first four.
inline std::uint64_t HalfAt(const char* bytes) {
  std::uint32_t half = 0;
  std::memcpy(&half, bytes, sizeof(half));
  if constexpr (std::endian::native == std::endian::big) half = __builtin_bswap32(half);
  return half;
}

/// The last `left` bytes of the text as a number. REQUIRES: 0 < left < 8, left <= its size.
inline std::uint64_t TailOf(std::string_view bytes, std::size_t left) {
  const char* const tail = bytes.data() + bytes.size() - left;
  if (bytes.size() >= sizeof(std::uint64_t)) {
    return WordAt(tail + left - sizeof(std::uint64_t)) >> (64 - 8 * left);
  }
  // Pieces that overlap where there is nothing between them: they say the same there.
  if (left >= 4) return HalfAt(tail) | HalfAt(tail + left - 4) << (8 * (left - 4));
  const auto byte_at = [tail](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(tail[at])) << (8 * at);
  };
  return byte_at(0) | byte_at(left / 2) | byte_at(left - 1);
}

inline std::uint64_t HashBytes(std::string_view bytes, std::uint64_t state) {
  state = HashNumber(bytes.size(), state);
  const char* next = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8) state = HashNumber(WordAt(next), state);
  return left > 0 ? HashNumber(TailOf(bytes, left), state) : state;
}

}  // namespace interlock::sim
